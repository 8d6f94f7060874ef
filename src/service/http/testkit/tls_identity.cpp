#include "service/http/testkit/tls_identity.hpp"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace belay::http::testkit {
namespace {

template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

void need(bool worked) {
    if (!worked) throw std::runtime_error("OpenSSL cannot make a certificate for the test");
}

void add_extension(X509& certificate, int kind, const char* value) {
    const Owned<X509_EXTENSION> extension{X509V3_EXT_conf_nid(nullptr, nullptr, kind, value),
                                          X509_EXTENSION_free};
    need(extension && X509_add_ext(&certificate, extension.get(), -1) == 1);
}

Owned<FILE> opened(const std::string& path) {
    Owned<FILE> file{std::fopen(path.c_str(), "w"), [](FILE* f) { std::fclose(f); }};
    need(file != nullptr);
    return file;
}

}  // namespace

TlsIdentity::TlsIdentity() {
    std::string pattern = (std::filesystem::temp_directory_path() / "belay-tls-XXXXXX").string();
    need(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;

    const Owned<EVP_PKEY> key{EVP_EC_gen("P-256"), EVP_PKEY_free};
    const Owned<X509> certificate{X509_new(), X509_free};
    need(key && certificate);
    X509_set_version(certificate.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
    X509_set_pubkey(certificate.get(), key.get());
    auto* const name = X509_get_subject_name(certificate.get());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate.get(), name);
    add_extension(*certificate, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    add_extension(*certificate, NID_basic_constraints, "critical,CA:TRUE");
    need(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0);
    need(PEM_write_X509(opened(certificate_file()).get(), certificate.get()) == 1);
    need(PEM_write_PrivateKey(opened(key_file()).get(), key.get(), nullptr, nullptr, 0, nullptr,
                              nullptr) == 1);
}

TlsIdentity::~TlsIdentity() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

}  // namespace belay::http::testkit
