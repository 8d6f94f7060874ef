// fake_s3_signature_bench.hpp — the server's side of a signature: from the bytes that came to yes or no.
#pragma once

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/hash.hpp"
#include "core/base/text.hpp"
#include "service/http/digest.hpp"
#include "service/http/testkit/test_server.hpp"

namespace belay::objects {

inline std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream{text};
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}

inline std::string unescape(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            result += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

// Why the request is not properly signed; empty if it is. Only from what AWS's guide says a server does.
inline std::string signature_problem(const http::testkit::Received& request,
                                     const std::string& access_key, const std::string& secret_key) {
    std::map<std::string, std::string> query;
    for (const auto& pair : split(request.query, '&')) {
        const auto equals = pair.find('=');
        query[pair.substr(0, equals)] = equals == std::string::npos ? "" : pair.substr(equals + 1);
    }
    std::string credential, signed_headers, given, date, payload;
    if (query.contains("X-Amz-Signature")) {
        credential = unescape(query["X-Amz-Credential"]);
        signed_headers = unescape(query["X-Amz-SignedHeaders"]);
        given = query["X-Amz-Signature"];
        date = query["X-Amz-Date"];
        payload = "UNSIGNED-PAYLOAD";
        query.erase("X-Amz-Signature");
    } else {
        const auto header = request.header("authorization");
        const auto field = [&](const std::string& name) {
            const auto at = header.find(name + "=");
            if (at == std::string::npos) return std::string();
            const auto start = at + name.size() + 1;
            return header.substr(start, header.find(',', start) - start);
        };
        if (!header.starts_with("AWS4-HMAC-SHA256 ")) return "no signature";
        credential = field("Credential");
        signed_headers = field("SignedHeaders");
        given = field("Signature");
        date = request.header("x-amz-date");
        payload = request.header("x-amz-content-sha256");
        if (payload != base::sha256_hex(std::string_view{request.body}))
            return "the body is not what was signed";
    }
    const auto scope = split(credential, '/');
    if (scope.size() != 5 || scope[0] != access_key) return "unknown access key";
    if (date.substr(0, 8) != scope[1]) return "the dates differ";

    std::string canonical = request.method + "\n" + request.path + "\n";
    bool first = true;
    for (const auto& [name, value] : query) {  // a map: sorted by their escaped names
        canonical += (first ? "" : "&") + name + "=" + value;
        first = false;
    }
    canonical += "\n";
    bool has_host = false;
    for (const auto& name : split(signed_headers, ';')) {
        canonical += name + ":" + request.header(name) + "\n";
        has_host |= name == "host";
    }
    for (const auto& [name, value] : request.headers)
        if (name.starts_with("x-amz-") && signed_headers.find(name) == std::string::npos)
            return "the header " + name + " is not signed";
    if (!has_host) return "the host is not signed";
    canonical += "\n" + signed_headers + "\n" + payload;

    const auto hmac = [](const http::HmacDigest& key, const std::string& text) {
        return http::hmac_sha256(std::as_bytes(std::span(key)), text);
    };
    const std::string to_sign = "AWS4-HMAC-SHA256\n" + date + "\n" +
                                credential.substr(credential.find('/') + 1) + "\n" +
                                base::sha256_hex(std::string_view{canonical});
    const auto key = hmac(
        hmac(hmac(http::hmac_sha256("AWS4" + secret_key, scope[1]), scope[2]), scope[3]), scope[4]);
    const auto digest = hmac(key, to_sign);
    return given == base::to_hex(std::as_bytes(std::span(digest)))
               ? ""
               : "the signature is wrong for:\n" + canonical;
}

}  // namespace belay::objects
