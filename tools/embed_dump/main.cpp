// embed_dump — the local embedder's vectors of texts, for looking at it from outside.
//
//   embed_dump WORDS.vec < texts     one text a line in, one JSON array a line out
#include <iostream>
#include <string>
#include <vector>

#include <belay/codec.hpp>

#include "ingestion/ai/embed/local_embedder.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: embed_dump WORDS.vec < texts\n";
        return 2;
    }
    belay::ai::embed::LocalEmbedder embedder{argv[1]};
    for (std::string line; std::getline(std::cin, line);) {
        try {
            std::cout << belay::to_json(embedder.embed(std::vector{line}).front()) << '\n';
        } catch (const std::exception& error) {
            std::cerr << error.what() << '\n';
            std::cout << "[]\n";
        }
    }
}
