// tls_test.cpp — the same server behind a certificate that the test makes itself.
#include <filesystem>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "service/server/server_bench.hpp"

namespace belay::server {
namespace {

// A key and a certificate that it signed itself, as files that go with the object.
class SelfSigned {
public:
    SelfSigned() {
        folder_ =
            std::filesystem::temp_directory_path() / ("belay-tls-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
        EVP_PKEY* key = EVP_EC_gen("P-256");
        X509* certificate = X509_new();
        X509_set_version(certificate, 2);
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
        X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
        X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
        X509_set_pubkey(certificate, key);
        X509_NAME* name = X509_get_subject_name(certificate);
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                   reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
        X509_set_issuer_name(certificate, name);
        X509_sign(certificate, key, EVP_sha256());
        write(files().key, [&](FILE* file) {
            PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
        });
        write(files().certificate, [&](FILE* file) { PEM_write_X509(file, certificate); });
        X509_free(certificate);
        EVP_PKEY_free(key);
    }
    ~SelfSigned() { std::filesystem::remove_all(folder_); }

    TlsFiles files() const { return {folder_ / "cert.pem", folder_ / "key.pem"}; }

private:
    template <class F>
    static void write(const std::string& path, F content) {
        FILE* file = std::fopen(path.c_str(), "w");
        content(file);
        std::fclose(file);
    }
    std::filesystem::path folder_;
};

class TlsClient {
public:
    explicit TlsClient(std::uint16_t port, int highest = 0)
        : client_(port), context_(SSL_CTX_new(TLS_client_method())), ssl_(SSL_new(context_)) {
        if (highest != 0) {
            SSL_set_min_proto_version(ssl_, TLS1_VERSION);
            SSL_set_max_proto_version(ssl_, highest);
        }
        SSL_set_fd(ssl_, client_.descriptor());
        connected = SSL_connect(ssl_) == 1;
    }
    ~TlsClient() {
        SSL_free(ssl_);
        SSL_CTX_free(context_);
    }
    std::string talk(const std::string& bytes) {
        SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
        std::string all;
        char buffer[4096];
        int got = 0;
        while ((got = SSL_read(ssl_, buffer, sizeof(buffer))) > 0)
            all.append(buffer, static_cast<std::size_t>(got));
        return all;
    }
    bool connected = false;

private:
    Client client_;
    SSL_CTX* context_;
    SSL* ssl_;
};

TEST(Tls, requests_go_through_it) {
    const SelfSigned certificate;
    ServerOptions options;
    options.tls = certificate.files();
    ServerBench b({}, options);
    EXPECT_TRUE(b.server->url().starts_with("https://"));

    TlsClient client(b.server->port());
    ASSERT_TRUE(client.connected);
    const std::string answer = client.talk(
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nOrigin: https://localhost\r\nContent-Length: "
        "2\r\nConnection: "
        "close\r\n\r\n{}");

    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    EXPECT_NE(answer.find("{\"body\":\"{}\"}"), std::string::npos) << answer;
}

TEST(Tls, old_versions_plain_http_and_silence_get_nowhere) {
    const SelfSigned certificate;
    ServerOptions options;
    options.tls = certificate.files();
    ServerBench b({}, options);

    EXPECT_FALSE(TlsClient(b.server->port(), TLS1_1_VERSION).connected);
    Client plain = b.client();
    plain.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_THROW(plain.receive(), std::runtime_error);
    Client silent = b.client();
    EXPECT_TRUE(
        TlsClient(b.server->port()).connected);  // the server has accepted the silent one by now
    while (!silent.has_something()) {
        b.clock.advance(std::chrono::seconds{11});
        std::this_thread::yield();
    }
    EXPECT_TRUE(silent.closed());
}

TEST(Tls, a_file_that_is_no_certificate_is_named) {
    const SelfSigned certificate;
    ServerBench b;
    ServerOptions options;
    options.port = 0;
    options.tls = {certificate.files().key, certificate.files().key};
    Server server(b.api, b.clock, b.random, options);
    try {
        server.start();
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("key.pem cannot be used as the TLS certificate"),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace belay::server
