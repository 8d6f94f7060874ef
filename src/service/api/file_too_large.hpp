// file_too_large.hpp — a file of an upload that is above the limit: the rest of the form is not read.
#pragma once

#include <string>
#include <utility>

#include "service/api/errors.hpp"

namespace belay::api {

// Its answer has the lists of an upload that nothing was taken of, beside `error`.
class FileTooLarge : public ApiError {
public:
    FileTooLarge(std::string file_name, const std::string& message)
        : ApiError(Problem::PayloadTooLarge, message), file_name_(std::move(file_name)) {}

    const std::string& file_name() const { return file_name_; }

private:
    std::string file_name_;
};

}  // namespace belay::api
