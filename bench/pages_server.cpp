// pages_server.cpp — a site of generated pages on 127.0.0.1, for bench/web: prints its port, ends with its input.
//
//   GET /page/N   an article of about 12 kB, another one for each N
#include <cstdio>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "service/http/testkit/test_server.hpp"

namespace {

using belay::http::testkit::Received;
using belay::http::testkit::Reply;

std::string article(const std::string& name) {
    std::string body;
    for (int i = 1; i <= 40; ++i) {
        body += fmt::format(
            "<p>Paragraph {} of page {} tells how a rope is held when a climber slips, why the "
            "last "
            "protected point matters, what the partner below has to do then, and <a "
            "href='/page/{}'>"
            "which page says more</a> about number {}.</p>\n",
            i, name, i, i * 7919 % 1000);
    }
    return fmt::format(
        "<html lang=en><head><title>Page {0}</title><meta name=author content='A. "
        "Author'></head><body>"
        "<nav><ul><li><a href=/>Home</a></li><li><a "
        "href=/about>About</a></li></ul></nav><main><article>"
        "<h1>Page {0}</h1>{1}</article></main><footer>Nobody reads this.</footer></body></html>",
        name, body);
}

Reply answer(const Received& request) {
    if (!request.path.starts_with("/page/")) return {404, {}, ""};
    return {200, {{"Content-Type", "text/html; charset=utf-8"}}, article(request.path.substr(6))};
}

}  // namespace

int main() {
    const belay::http::testkit::TestServer server{answer};
    fmt::print("{}\n", server.port());
    std::fflush(stdout);
    std::string line;
    while (std::getline(std::cin, line)) {
    }
}
