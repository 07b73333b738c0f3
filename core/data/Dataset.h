// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where images and their classes come from. Implementations are immutable after opening and safe to
// read from several threads.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/boxes/LabeledBox.h"
#include "core/base/Result.h"
#include "core/config/DatasetKinds.h"
#include "core/imaging/ClassWheel.h"
#include "core/imaging/codecs/ImagePart.h"

namespace headlight {

struct Sample {
  Image image;
  int label = 0;             ///< 0 where the dataset has boxes or segments
  LabeledBoxes boxes = {};   ///< in pixels of `image`
  ClassImage segments = {};  ///< of the size of `image`; empty where the dataset has none
};

/// A sample of which only a part may be decoded.
struct SamplePart {
  ImagePart image;
  int label = 0;
  LabeledBoxes boxes = {};   ///< in pixels of the whole image
  ClassImage segments = {};  ///< of the whole image's size
};

/// What is known of a sample without its pixels.
struct SampleTruth {
  int width = 0, height = 0;  ///< of the image, as stored; 0: nothing says
  int label = 0;
  LabeledBoxes boxes = {};   ///< in pixels of the image as its annotations have it
  ClassImage segments = {};  ///< empty where the dataset has none
};

/// A file that could not be used, and why.
struct SkippedFile {
  std::string path;
  std::string reason;
};

class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size() const = 0;
  /// The same for every split. Index in it = label.
  virtual const std::vector<std::string>& classNames() const = 0;
  /// Whether samples have boxes with classes (Task::Detect) in place of one class.
  virtual bool hasBoxes() const { return false; }
  /// Whether samples have a class for every pixel (Task::Segment) in place of one class.
  virtual bool hasSegments() const { return false; }
  /// What shows the classes of segments, one for each; empty where the dataset has none.
  virtual std::vector<ClassColor> classColors() const { return {}; }
  /// An error concerns this sample alone (a damaged file, a file that vanished).
  virtual Result<Sample> sample(std::int64_t index) const = 0;
  /// At least the part that `choose` asks for, where less than all can be decoded; otherwise all of
  /// it, and `choose` is not asked. Errors are those of sample().
  virtual Result<SamplePart> part(std::int64_t index, const ChoosePart& choose) const;
  /// What there is to learn of a sample, where it can be read without decoding the image. Errors are
  /// those of sample().
  virtual Result<SampleTruth> truth(std::int64_t index) const;
  /// Whether truth() reads no file.
  virtual bool truthIsAtHand() const { return false; }
  /// A path or a name for the sample, for messages and the gallery.
  virtual std::string describe(std::int64_t index) const = 0;
  /// Where samples lie in shards, one after another: how many in each, adding up to size(). Empty:
  /// any order is as quick to read.
  virtual std::vector<std::int64_t> shards() const { return {}; }
  /// Whether the place the samples come from can still be read at all (a disk can be pulled out).
  virtual bool reachable() const { return true; }
  /// Notices a change of the files behind it (DataStamp.h); empty where there are none. Of the
  /// whole source, where this is a part of one. May ask the system about every file.
  virtual std::string stamp() const { return ""; }
  /// What a person should know of how the place was read: what serves as which split, what is not
  /// used, which files are not read. A sentence each, with the place; DataNotes.h says them.
  virtual std::vector<std::string> notes() const { return {}; }
};

enum class Split { Train, Validation };

/// What to open. Filled from the Experiment's `data` section by the caller.
struct DatasetSpec {
  std::string kind = kProceduralData;  ///< DatasetKinds.h
  std::filesystem::path path;  ///< folder, or a pattern of shards; unused by procedural data
  /// Taken from training for validation when the folder has no split of its own (no val/, no test
  /// batch, no t10k files); chosen by `seed`, the same share of every class.
  double validationFraction = 0.1;
  /// The validation split of a place without one is all of it: for measuring a model that was not
  /// trained on it.
  bool measuredWhole = false;
  /// For every class of the training split, in (0, 1], at least one: the first of a seeded order.
  double fraction = 1;
  /// At most so many of the samples that `fraction` keeps, the first of the same order, spread over
  /// the classes; 0: all.
  std::int64_t maxSamples = 0;
  std::int64_t maxValidationSamples = 0;  ///< of the validation split likewise
  std::uint64_t seed = 0;
  // What is drawn (isDrawnData).
  int imageSize = 48;
  std::int64_t trainSamples = 2000;
  std::int64_t validationSamples = 500;
  std::int64_t drawnClasses = 9;  ///< the first so many of textureShapeClassNames()
};

/// Opens one split. Errors say which path and what was expected there: an empty dataset, a single
/// class, a missing folder are errors here.
Result<std::unique_ptr<Dataset>> openDataset(const DatasetSpec& spec, Split split);

/// Guesses the kind of a folder from what lies in it (for drag and drop), or of a pattern of shards
/// from what it names; empty if nothing fits.
std::string detectDatasetKind(const std::filesystem::path& path);

/// Why a path opens as no dataset, and what to do. Nothing where it does. A path that nobody
/// `asked` to be data (a folder that was dropped) has a reason only where splits or a table of
/// labels in it suggest that it is.
std::optional<Error> whyNoDataset(const std::filesystem::path& path, bool asked);

}  // namespace headlight
