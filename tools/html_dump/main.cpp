// html_dump — what extraction makes of saved pages, one JSON object a line: for tools/score-web.
//
//   html_dump LIST     LIST has a line for each page: name, file, address (or nothing), tab-separated
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include <belay/codec.hpp>

#include "ingestion/media/html/extract.hpp"

namespace {

std::string read_file(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    std::ostringstream all;
    all << in.rdbuf();
    return std::move(all).str();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: html_dump LIST\n";
        return 2;
    }
    std::ifstream list{argv[1]};
    std::string name, path, url, line;
    while (std::getline(list, line)) {
        std::istringstream fields{line};
        url.clear();
        std::getline(fields, name, '\t');
        std::getline(fields, path, '\t');
        std::getline(fields, url, '\t');
        belay::media::Article article;
        try {
            article = belay::media::html::extract(read_file(path), {.url = url});
        } catch (const std::exception& error) {
            std::cerr << name << ": " << error.what() << '\n';
        }
        std::string json = belay::to_json(article);
        std::cout << "{\"file\":" << belay::to_json(name) << ',' << json.substr(1) << '\n';
    }
}
