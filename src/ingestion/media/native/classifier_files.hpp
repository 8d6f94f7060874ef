// classifier_files.hpp — which model classifies pictures, and where it lies.
//
// A classifier is a folder:
//   model.tflite               one picture in (NHWC, RGB; float, or quantized), one score per class out
//   labels.txt                 a label per line, in the order of the classes; a first line "dummy" or
//                              "background" is a class that is never shown, and not counted
//   libtensorflowlite_c.so     may be left out if the system has one
//   classifier.json            may be left out: {"name", "model", "labels", "library", "mean", "deviation", "views"}
// It is the folder in BELAY_CLASSIFIER_FOLDER, or else the first that exists of ../lib/belay/classifier (installed)
// and ../deps/classifier (a build), both beside this program's folder. tools/setup fills build/deps.
#pragma once

#include <string>
#include <vector>

#include <boost/describe.hpp>

namespace belay::media {

// What classifier.json says; paths are relative to the folder.
struct ClassifierSettings {
    std::string name{};  // shown and recorded; empty: the model file's name
    std::string model = "model.tflite";
    std::string labels = "labels.txt";
    std::string library = "libtensorflowlite_c.so";
    double mean = 127.5, deviation = 127.5;  // a float model is given (colour - mean) / deviation
    // How a picture is put into the model's square; the scores of all are averaged. "whole": all of it,
    // out of proportion. "center": the middle square. "center87": the middle 87.5 % of both sides, as most
    // ImageNet models were trained to be judged.
    std::vector<std::string> views{"center87"};
};
BOOST_DESCRIBE_STRUCT(ClassifierSettings, (),
                      (name, model, labels, library, mean, deviation, views))

struct ClassifierFiles {
    std::string folder{};
    ClassifierSettings settings{};  // with full paths
    std::vector<std::string> labels{};
    bool has_background = false;  // labels[0] is no label
};

// Finds and reads them. Throws std::runtime_error that says where it looked and what to do.
ClassifierFiles find_classifier();

}  // namespace belay::media
