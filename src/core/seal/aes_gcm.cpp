// aes_gcm.cpp — AES-256-GCM by OpenSSL: nonce (12 bytes), sealed text, tag (16 bytes).
#include <array>
#include <memory>
#include <new>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <belay/error.hpp>
#include <belay/seal.hpp>

#include "core/base/assert.hpp"

namespace belay {
namespace {

constexpr std::size_t kKeyBytes = 32, kNonceBytes = 12, kTagBytes = 16, kFingerprintBytes = 16;

struct Free {
    void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, Free>;

Cipher make_cipher() {
    Cipher cipher{EVP_CIPHER_CTX_new()};
    if (cipher == nullptr) throw std::bad_alloc();
    return cipher;
}

const unsigned char* bytes_of(std::string_view text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* into(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

// OpenSSL's own failures here are of its memory or of a wrong call: neither is the data's fault.
void must(int done) { BELAY_ASSERT(done == 1, "OpenSSL refused AES-256-GCM"); }

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= 64 &&
           name.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
               std::string_view::npos;
}

void check(const SealKeys& keys) {
    const auto refuse = [](const std::string& why) {
        throw Error(ErrorCode::InvalidArgument, "seal: " + why);
    };
    const auto check_size = [&](std::string_view name, const std::string& key) {
        if (key.size() != kKeyBytes)
            refuse(fmt::format("the key `{}` has {} bytes, and {} are needed", name, key.size(),
                               kKeyBytes));
    };
    check_size("fingerprint", keys.fingerprint);
    for (const auto& [name, key] : keys.keys) {
        if (!is_name(name)) {
            refuse(fmt::format("`{}` is no name of a key: 1 to 64 letters, digits, `-`, `_`, `.`",
                               name));
        }
        check_size(name, key);
    }
    if (!keys.keys.contains(keys.current))
        refuse(fmt::format("the current key `{}` is not among the keys", keys.current));
}

class AesGcm final : public Seal {
public:
    explicit AesGcm(SealKeys keys) : keys_(std::move(keys)) { check(keys_); }

    Sealed seal(std::string_view plain, std::string_view beside) const override {
        Sealed sealed{keys_.current, std::string(kNonceBytes + plain.size() + kTagBytes, '\0')};
        unsigned char* nonce = into(sealed.bytes);
        unsigned char* text = nonce + kNonceBytes;
        if (RAND_bytes(nonce, kNonceBytes) != 1)
            throw Error(ErrorCode::StoreUnavailable, "seal: the machine gives no random numbers");
        const auto cipher = make_cipher();
        int size = 0;
        must(EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr,
                                bytes_of(keys_.keys.at(keys_.current)), nonce));
        must(EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytes_of(beside),
                               static_cast<int>(beside.size())));
        must(EVP_EncryptUpdate(cipher.get(), text, &size, bytes_of(plain),
                               static_cast<int>(plain.size())));
        must(EVP_EncryptFinal_ex(cipher.get(), text + size, &size));
        must(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTagBytes,
                                 text + plain.size()));
        return sealed;
    }

    std::string open(const Sealed& sealed, std::string_view beside) const override {
        const auto key = keys_.keys.find(sealed.key);
        if (key == keys_.keys.end()) {
            throw Error(ErrorCode::BadValue,
                        fmt::format("it is sealed with the key `{}`, which this program was not "
                                    "given (EngineOptions::seal)",
                                    sealed.key));
        }
        const auto changed = [&] {
            return Error(ErrorCode::BadValue,
                         fmt::format("what was sealed with the key `{}` was changed since, or the "
                                     "key of that name is another",
                                     sealed.key));
        };
        const std::string_view all = sealed.bytes;
        if (all.size() < kNonceBytes + kTagBytes) throw changed();
        const auto text = all.substr(kNonceBytes, all.size() - kNonceBytes - kTagBytes);
        std::string tag{all.substr(all.size() - kTagBytes)};
        std::string plain(text.size(), '\0');
        const auto cipher = make_cipher();
        int size = 0;
        must(EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(key->second),
                                bytes_of(all)));
        must(EVP_DecryptUpdate(cipher.get(), nullptr, &size, bytes_of(beside),
                               static_cast<int>(beside.size())));
        must(EVP_DecryptUpdate(cipher.get(), into(plain), &size, bytes_of(text),
                               static_cast<int>(text.size())));
        must(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTagBytes, tag.data()));
        if (EVP_DecryptFinal_ex(cipher.get(), into(plain) + size, &size) != 1) throw changed();
        return plain;
    }

    std::string fingerprint(std::string_view plain) const override {
        std::array<unsigned char, 32> digest{};
        unsigned size = 0;
        const auto* made = HMAC(EVP_sha256(), keys_.fingerprint.data(), kKeyBytes, bytes_of(plain),
                                plain.size(), digest.data(), &size);
        BELAY_ASSERT(made != nullptr && size == digest.size(), "OpenSSL made no HMAC-SHA256");
        return {reinterpret_cast<const char*>(digest.data()), kFingerprintBytes};
    }

private:
    const SealKeys keys_;
};

}  // namespace

std::shared_ptr<const Seal> aes_gcm(SealKeys keys) {
    return std::make_shared<const AesGcm>(std::move(keys));
}

}  // namespace belay
