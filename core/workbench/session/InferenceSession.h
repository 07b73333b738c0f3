// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One loaded model and looking through it. No torch type here. Core blocks; the caller owns the
// thread. One call at a time per session (calls from several threads are serialized).

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/analysis/AttentionMaps.h"
#include "core/base/Progress.h"
#include "core/imaging/codecs/Image.h"
#include "core/workbench/loading/ModelInfo.h"
#include "core/workbench/session/Objects.h"
#include "core/workbench/session/Segments.h"

namespace headlight {

class Model;          ///< core/models; only core can do anything with it
struct LoadedModel;   ///< likewise
class ModelSnapshot;  ///< the weights of a training run at a step; opaque

struct ClassScore {
  int index = 0;
  std::string name;  ///< "class 12" where the checkpoint has no names
  float probability = 0;
};

struct InferenceOptions {
  bool maps = true;  ///< false: the prediction alone
  int topClasses = 5;
  /// Of a segmenter's class image: at most so many pixels; 0: as many as the image has.
  std::int64_t segmentPixels = kMaxShownSegmentPixels;
  /// Of a segmenter whose maps of the decoder are too large to keep those of all queries
  /// (kMostDecoderBytes): the query whose maps are kept; −1: none.
  int decoderQuery = -1;
};

struct InferenceResult {
  AttentionMaps maps;                ///< every layer, or empty
  std::vector<ClassScore> top;       ///< best first
  std::vector<float> logits;         ///< [classes]
  bool sigmoid = false;              ///< probabilities are of each class by itself
  std::vector<FoundObject> objects;  ///< of a detector, best first
  /// Of a segmenter; null: it is none.
  std::shared_ptr<const FoundSegments> segments = {};
  std::vector<std::vector<float>> locality;  ///< ALS [layer][head]; empty without maps
  SoftAlphas alphas;                         ///< of the weights under these masks
  std::vector<LearnedMap> learned;           ///< as learnedMaps(); empty without maps
  Image view;                                ///< what the model saw, before normalization
  MaskScheme masks;                          ///< under which it ran
  std::uint64_t weights = 0;  ///< whose: equal for results of the same, of no other session
  std::string kernels;        ///< what attention ran by (kernelSummary)
  int recomputedFrom = 0;     ///< the first block that ran for this result
  double milliseconds = 0;    ///< in core
};

class InferenceSession {
 public:
  /// Also of a file of maps without a model, named as `model` or as `weights`.
  static Result<std::unique_ptr<InferenceSession>> open(const ModelSource& source);
  /// A model as described, with random weights.
  static Result<std::unique_ptr<InferenceSession>> create(const Experiment& experiment);
  ~InferenceSession();

  /// The same model, weights and class names, with `masks`, for images of another size, in
  /// pixels; `width` 0: as the height. Position embeddings and tables are resampled from those that
  /// the weights came with, however often it is done. `transparency`: as ModelConfig's; empty: as
  /// it is. Errors: a size that patches do not divide,
  /// tensors that cannot be resampled (of windows that do not fit), no model.
  Result<std::unique_ptr<InferenceSession>> atSize(int height, int width, const MaskScheme& masks,
                                                   const std::string& transparency = {}) const;

  /// The same weights with prompts as classes, with `masks`; without prompts as the weights are by
  /// themselves. Reads the weights again. Errors: no text tower or tokenizer
  /// (ModelInfo::textSide), prompts that cannot be read, the file's.
  Result<std::unique_ptr<InferenceSession>> withPrompts(const Prompts& prompts,
                                                        const MaskScheme& masks) const;

  const ModelInfo& info() const;

  /// For maps without a model, the file's own image at `address` ("FILE[2]", MapPlace): infer()
  /// knows it again by its pixels, and no other. `otherwise` where it is none of theirs, and of
  /// every model.
  Image imageAt(const std::string& address, const Image& otherwise = {});

  /// What weights would do to this model; nothing is changed.
  Result<LoadReport> previewWeights(const std::filesystem::path& path,
                                    const std::string& take = {}) const;
  /// Loads them; on error the model is as before. Errors: weights of another model, and, unless
  /// `partial`, weights that some of the model's are not among: those keep the values they have.
  Result<LoadReport> loadWeights(const std::filesystem::path& path, bool partial = false,
                                 const std::string& take = {});
  /// Takes the weights of a running training of the same model.
  Result<void> adopt(const ModelSnapshot& snapshot);

  /// Predicts and maps `image` under `masks`. An image seen last is recomputed only from the first
  /// layer whose masks changed. Errors: Canceled, a scheme of another shape.
  Result<InferenceResult> infer(const Image& image, const MaskScheme& masks,
                                const InferenceOptions& options = {}, std::stop_token stop = {});

  /// Names the classes by a file (readClassNames). Errors: the file's; then they are as before.
  Result<void> setClassNames(const std::filesystem::path& file);

  /// What soft heads of `masks` have learned. Errors: a scheme of another shape.
  Result<SoftAlphas> softAlphas(const MaskScheme& masks);
  /// The maps that the mechanism's weights alone give: whatever it offers, often nothing.
  Result<std::vector<LearnedMap>> learnedMaps();

  /// A name for config and weights as they are: equal in every process for equal ones, another for
  /// others. Reads all weights, once as long as they stay.
  Result<std::string> digest();

  /// Saves weights, class names and the Experiment (with `masks`) as safetensors.
  Result<void> save(const std::filesystem::path& path, const MaskScheme& masks) const;
  /// The same, and info() says from then on that the weights come from there, as if they had been
  /// opened. For a session that no other thread has yet. On error all is as before.
  Result<void> moveTo(const std::filesystem::path& path, const MaskScheme& masks);

 private:
  friend void withModel(InferenceSession& session, const std::function<void(Model&)>& body);
  friend std::unique_ptr<InferenceSession> makeSession(LoadedModel loaded);
  InferenceSession();
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace headlight
