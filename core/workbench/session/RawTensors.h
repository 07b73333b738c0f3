// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Exact input and output for comparison with other programs: a model run on numbers from a file
// instead of an image, and its results as named arrays. No torch type here.

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// Images as a model takes them: [count, 3, height, width], normalized, row-major.
struct RawImages {
  std::int64_t count = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::vector<float> values;
};

/// Whether a model takes images of that size: its own, and with kPadMode any of whole multiples of
/// 32 pixels.
bool takesSize(const ModelConfig& model, std::int64_t height, std::int64_t width);

/// The tensor `input` of a safetensors file: [B, 3, H, W] of F32 (F64, F16 and BF16 are converted),
/// every value finite. Errors: no such tensor, another shape or dtype.
Result<RawImages> readRawImages(const std::filesystem::path& path);
/// The same file, written atomically.
Result<void> writeRawImages(const std::filesystem::path& path, const RawImages& images);

/// What a model made of one raw image.
struct RawInferenceResult {
  std::vector<float> logits;    ///< [classes]; empty without a classifier
  std::vector<float> features;  ///< [D]: what a classifier reads; empty where a backbone tells none
  /// Of a detector: [N, K + 1] of N detection tokens, "no object" last, or [N, K] of N cells, before
  /// the sigmoid; else empty.
  std::vector<float> objectLogits;
  std::vector<float> objectBoxes;    ///< [N, 4], center x and y, width, height in [0, 1]
  std::vector<FoundObject> objects;  ///< what it found by them, best first
  /// Of a segmenter, before softmax and sigmoid: [Q, K + 1] of Q queries, "none" last, and their
  /// masks [Q, maskRows, maskCols]; else empty.
  std::vector<float> queryLogits, queryMasks;
  std::int64_t maskRows = 0, maskCols = 0;
  AttentionMaps maps;  ///< every layer, or empty
};

/// Whether a model's probabilities are of each class by itself (model.layout.scores).
bool hasSigmoidScores(const ModelConfig& model);
/// The `count` most probable classes, best first; logits that are not numbers come last. `names`
/// may be empty. Probabilities are softmax over all classes, or with `sigmoid` of each by itself.
std::vector<ClassScore> rankClasses(const std::vector<float>& logits,
                                    const std::vector<std::string>& names, int count,
                                    bool sigmoid = false);

/// Runs all of them under `masks`. `withMaps` false: the logits alone. Errors: images of another
/// size than the model's, a scheme of another shape, Canceled.
Result<std::vector<RawInferenceResult>> inferRaw(InferenceSession& session, const RawImages& images,
                                                 const MaskScheme& masks, bool withMaps,
                                                 std::stop_token stop = {});

/// What to say of a model whose output on `what` holds NaN: nothing can be predicted from it.
/// Internal, in `info.weights`, else the model.
Error noNumbers(const ModelInfo& info, const std::string& what);
bool holdsNaN(const RawInferenceResult& inference);
/// Whether a layer's maps do, which would be drawn as if they said something. Those of very many
/// tokens, which are made row by row, are not asked.
bool holdsNaN(const AttentionMaps& maps);

/// A named array for the same file.
struct RawArray {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< as many as the shape says, row-major
};

/// Writes `logits` [B, classes] where there are any, else `features` [B, D] where there are those;
/// of a detector also `object_logits` [B, N, K + 1] and `object_boxes` [B, N, 4];
/// where the results have maps also `attention.L` [B, H, T, T] of every
/// layer, and in the metadata their grids (MapFile.h); where `rollouts` is not empty (one of N
/// values for each result) `rollout` [B, N]; and `more`.
Result<void> writeRawResults(const std::filesystem::path& path,
                             const std::vector<RawInferenceResult>& inferences,
                             const std::vector<std::vector<float>>& rollouts,
                             const std::vector<RawArray>& more = {});

}  // namespace headlight
