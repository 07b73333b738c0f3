// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How a run came to look as it does: the maps of a few images, what was predicted of them, ALS, α
// and learned tensors at every point that its folder kept (evolution.bin). Reads only, also while
// the run goes on. No torch type here.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/AttentionMaps.h"
#include "core/base/Result.h"
#include "core/imaging/codecs/Image.h"
#include "core/training/evolution/EvolutionTypes.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// An image of the validation split whose maps were kept.
struct RecordedImage {
  std::int64_t index = 0;  ///< in the validation split
  ClassScore label;        ///< its class; the probability is 1
  std::string name;        ///< of its file
  Image view;              ///< what the model saw, before normalization; may be smaller
};

/// What all points have in common.
struct EvolutionInfo {
  std::string run;  ///< its id; may be empty
  std::string mapMeaning;
  bool mapIsSigned = false, mapRowsSumToOne = true;
  Grid grid;                           ///< on which queries are counted
  std::vector<EvolutionLayer> layers;  ///< heads are 0 where nothing is kept of a layer
  std::vector<int> queries;            ///< what is kept: tokens of `grid`, or kMeanOfPatches
  std::vector<RecordedImage> images;
  std::vector<std::string> classNames;
  std::int64_t stride = 1;  ///< every so many measurements one is kept
};

/// The numbers of a point.
struct EvolutionMoment {
  std::int64_t step = 0, epoch = 0;
  std::vector<std::vector<float>> locality, alpha;  ///< [layer][head]; α is NaN where not soft
  std::vector<std::vector<ClassScore>> top;         ///< [image], the likeliest first
};

/// A parameter, as it was.
struct RecordedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// A token of EvolutionInfo::queries in words: "class token", "mean of all patches".
std::string recordedQueryText(int query, const Grid& grid);

/// All that was kept of one point.
class EvolutionFrame {
 public:
  const EvolutionMoment& moment() const { return m_moment; }
  /// The patches that `query` (of EvolutionInfo::queries) looks at, [rows × cols] of the layer's
  /// grid, to within half a step of 8 bits. Errors: InvalidArgument where it was not kept, or there
  /// is no such image, layer or head.
  Result<std::vector<float>> seen(int image, int layer, int head, int query) const;
  /// The rollout, over the patches of the first layer; empty where none was kept. Heads are fused
  /// by their mean, nothing is dropped.
  std::vector<float> rollout(int image) const;
  /// As InferenceSession::infer() gives them, with NaN in rows that were not kept; a layer of which
  /// nothing was kept is empty. Where they cannot be held (mapsCanBeHeld) all are.
  AttentionMaps maps(int image) const;
  /// maps() has every token's row, whatever was kept. Errors: InvalidFile where these are out of
  /// all proportion to what was kept: no run's are; Io where the memory does not suffice.
  Result<void> mapsCanBeHeld() const;
  const std::vector<RecordedTensor>& tensors() const { return m_tensors; }

 private:
  friend class RecordedEvolution;
  static EvolutionFrame from(EvolutionPoint point, EvolutionMoment moment,
                             std::shared_ptr<const EvolutionInfo> info);

  std::shared_ptr<const EvolutionInfo> m_info;
  EvolutionMoment m_moment;
  std::vector<QuantizedRows> m_maps;
  QuantizedRows m_rollout;
  std::vector<RecordedTensor> m_tensors;
};

enum class EvolutionChange {
  None,
  Grown,  ///< there are more moments
  Anew    ///< what there was does not count: thinned, cut back by a resumed run, or another file
};

class RecordedEvolution {
 public:
  /// Errors: NotFound where there is no run or no recording, InvalidFile where it is another run's
  /// or nothing of it can be read, UnsupportedFile where a newer program wrote it, Io.
  static Result<RecordedEvolution> open(const std::filesystem::path& folder);
  ~RecordedEvolution();
  RecordedEvolution(RecordedEvolution&&) noexcept;
  RecordedEvolution& operator=(RecordedEvolution&&) noexcept;

  const EvolutionInfo& info() const;
  /// By step; empty where the run has not measured yet.
  const std::vector<EvolutionMoment>& moments() const;
  /// What could not be read, in sentences.
  std::vector<std::string> warnings() const;
  /// The moment that shows `step`: the last one not after it, or the first.
  std::size_t momentAt(std::int64_t step) const;

  /// Reads what came since. On an error, those of open(), what there was stays.
  Result<EvolutionChange> refresh();
  /// Errors: InvalidFile where the file was changed since: refresh() and ask again.
  Result<EvolutionFrame> frame(std::size_t moment) const;
  /// What mechanisms had learned for every image alike, as InferenceSession::learnedMaps; often
  /// nothing. Builds the run's model once. Errors: as frame(), and those of reading its config.
  Result<std::vector<LearnedMap>> learned(std::size_t moment);

 private:
  RecordedEvolution();
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace headlight
