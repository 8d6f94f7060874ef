// read_error.hpp — why a document could not be read, as a value that crosses processes.
//
// The reader runs in a sandbox; what comes out of it is the kind and a sentence for a person. A run
// that fails with one of these is not retried: the same bytes give the same answer.
#pragma once

#include <stdexcept>
#include <string>

#include <boost/describe.hpp>

namespace belay::media {

enum class ReadErrorKind {
    Broken,        // the bytes are not what they claim to be, or end too early
    Encrypted,     // a password is needed
    Unsupported,   // a format that is not read here
    NoPages,       // a document without a page
    NoSuchPage,    // the page asked for is not in the document
    TooManyPages,  // above the limit; the message has both numbers
    TooLarge,     // a page or an image has more pixels than the limit; the message has both numbers
    TookTooLong,  // reading it was given up after the time that a page may take
    Unavailable,  // this machine lacks what reading needs (a language file)
};
BOOST_DESCRIBE_ENUM(ReadErrorKind, Broken, Encrypted, Unsupported, NoPages, NoSuchPage,
                    TooManyPages, TooLarge, TookTooLong, Unavailable)

class ReadError : public std::runtime_error {
public:
    ReadError(ReadErrorKind kind, const std::string& message)
        : std::runtime_error(message), kind_(kind) {}

    ReadErrorKind kind() const { return kind_; }

private:
    ReadErrorKind kind_;
};

}  // namespace belay::media
