// location.hpp — where objects are kept, as one text: the value of `--objects`.
//
//   /var/lib/belay/objects                                                     a folder
//   s3://bucket?region=eu-north-1                                              Amazon S3
//   s3://bucket?endpoint=https://acc.r2.cloudflarestorage.com&region=auto      R2; Ceph and MinIO likewise
//   …&bucket_in_host=1                                                         https://bucket.endpoint/key
//
// Keys are no part of it, so that it may be shown and logged: they come from the environment or a file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "ingestion/objects/s3_client.hpp"

namespace belay::objects {

using Location = std::variant<std::filesystem::path, S3Options>;

// Throws Error{InvalidArgument} naming the part that is not understood, or the credentials that S3 lacks.
Location parse_location(std::string_view text, const sigv4::Credentials& credentials = {});

// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; empty where they are not set.
sigv4::Credentials credentials_from_environment();

}  // namespace belay::objects
