// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images that something is measured on, one after another: each is read when its turn comes, and
// none is kept. Of files, a gallery, a file of maps or a dataset. No torch type here.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "core/imaging/codecs/Image.h"
#include "core/workbench/evaluation/ImageSample.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct SourceImage {
  Image image;
  int label = -1;  ///< the model's class; −1: unknown
};

struct ImageSource {
  std::int64_t count = 0;
  /// From 0 to count − 1. An error concerns that image alone.
  std::function<Result<SourceImage>(std::int64_t index)> read;
  std::string of = {};  ///< what they are, in words: one file's name, a dataset; may be empty
  /// For a dataset: how its classes are the model's (ClassMatch::text), or why it has no labels.
  std::string classes = {};
};

/// Files, without labels.
ImageSource makeImageSource(const std::vector<std::filesystem::path>& files);
/// One image that is there, by its name.
ImageSource makeImageSource(const Image& image, const std::string& name = {});
/// The images of a file of maps that `session` has open; `only`: that one, −1: all.
ImageSource feedOfMaps(InferenceSession& session, int only = -1);
/// The validation split, with labels where its classes are the model's, else without. Errors: those
/// of opening a dataset, and of classes that do not match as somebody chose.
Result<ImageSource> makeImageSource(const ModelInfo& info, const ImageSample& sample);

/// What came of a feed.
struct SourceCount {
  std::int64_t images = 0;
  std::vector<std::string> unread;    ///< why, of each image that could not be read
  std::string of = {}, classes = {};  ///< ImageSource's
};

/// Hands every image to `use`, which may tell which share of it is done, in [0, 1]. Progress is
/// in thousandths of an image. Throws Failure: Canceled, no images, none that can be read (the
/// first one's error), what `use` throws.
SourceCount eachSourceImage(
    const ImageSource& feed, const std::string& stage, const ProgressCallback& progress,
    const std::stop_token& stop,
    const std::function<void(const SourceImage&, const std::function<void(double)>& share)>& use);

/// Throws Failure(Canceled): for what takes long within an image.
void throwIfFeedStopped(const std::stop_token& stop);

/// "12 images", "1 image, tabby.jpg"; with what could not be read: "12 images (2 could not be
/// read)".
std::string fedText(const SourceCount& count);

}  // namespace headlight
