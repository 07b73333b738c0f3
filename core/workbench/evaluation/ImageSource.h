// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Pictures that something is measured on, one after another: each is read when its turn comes, and
// none is kept. Of files, a gallery, a file of maps or a data set. No torch type here.

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
#include "core/workbench/evaluation/PictureSample.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

struct FedPicture {
  Image image;
  int label = -1;  ///< the model's class; −1: unknown
};

struct ImageSource {
  std::int64_t count = 0;
  /// From 0 to count − 1. An error concerns that picture alone.
  std::function<Result<FedPicture>(std::int64_t index)> read;
  std::string of = {};  ///< what they are, in words: one file's name, a data set; may be empty
  /// Of a data set: how its classes are the model's (ClassMatch::text), or why it has no labels.
  std::string classes = {};
};

/// Files, without labels.
ImageSource feedOf(const std::vector<std::filesystem::path>& files);
/// One picture that is there, by its name.
ImageSource feedOf(const Image& image, const std::string& name = {});
/// The pictures of a file of maps that `session` has open; `only`: that one, −1: all.
ImageSource feedOfMaps(InferenceSession& session, int only = -1);
/// The validation split, with labels where its classes are the model's, else without. Errors: those
/// of opening a data set, and of classes that do not match as somebody chose.
Result<ImageSource> feedOf(const ModelInfo& info, const PictureSample& sample);

/// What came of a feed.
struct FedCount {
  std::int64_t pictures = 0;
  std::vector<std::string> unread;    ///< why, of each picture that could not be read
  std::string of = {}, classes = {};  ///< ImageSource's
};

/// Hands every picture to `use`, which may tell which share of it is done, in [0, 1]. Progress is
/// in thousandths of a picture. Throws Failure: Canceled, no pictures, none that can be read (the
/// first one's error), what `use` throws.
FedCount eachFedPicture(
    const ImageSource& feed, const std::string& stage, const ProgressCallback& progress,
    const std::stop_token& stop,
    const std::function<void(const FedPicture&, const std::function<void(double)>& share)>& use);

/// Throws Failure(Canceled): for what takes long within a picture.
void throwIfFeedStopped(const std::stop_token& stop);

/// "12 pictures", "1 picture, tabby.jpg"; with what could not be read: "12 pictures (2 could not be
/// read)".
std::string fedText(const FedCount& count);

}  // namespace headlight
