// upload.hpp — where the bytes of an uploaded file go while they arrive.
//
// The server reads a multipart body piece by piece and hands each file part to an UploadSink (belay/server.hpp); it
// never holds more than one piece. When the body has ended, the handler gets every part's Upload and decides what
// becomes of it: only then are the other fields of the form known (workflow_type may come after the file).
#pragma once

#include <belay/server.hpp>

namespace belay::api {

using PartHead = UploadHead;
using belay::Upload;
using belay::UploadedFile;
using belay::UploadSink;

}  // namespace belay::api
