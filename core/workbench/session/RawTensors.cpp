// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/session/RawTensors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/workbench/loading/LoadedModel.h"
#include "core/workbench/session/DetectorAnswer.h"
#include "core/workbench/session/InferenceHook.h"
#include "core/workbench/session/ModelAccess.h"

namespace headlight {
namespace {

constexpr std::int64_t kRowsAtOnce = 16;
/// Maps grow with B · L · H · T²: more than this would rather be a mistake than a wish.
constexpr double kMaxMapBytes = 16e9;

constexpr std::int64_t kSidesOfPadding = 32;

at::Tensor inputOf(const Checkpoint& checkpoint, const std::string& where) {
  const auto refuse = [&](const std::string& message) {
    throw Failure(Error{ErrorCode::InvalidFile, message, where});
  };
  const auto found = std::find_if(checkpoint.tensors.begin(), checkpoint.tensors.end(),
                                  [](const auto& item) { return item.first == "input"; });
  if (found == checkpoint.tensors.end())
    refuse(tr("has no tensor named \"input\"; write one of shape [B, 3, H, W], normalized"));
  const at::Tensor& input = found->second;
  if (!input.is_floating_point())
    refuse(tr("\"input\" must hold floating-point numbers (F32), already normalized"));
  if (input.dim() != 4 || input.size(1) != 3 || input.numel() == 0)
    refuse(tr("\"input\" has the shape ") + shapeText(input.sizes()) +
           tr("; it must be [B, 3, H, W] with at least one image"));
  at::Tensor values = input.to(at::kFloat).contiguous();
  if (!at::isfinite(values).all().item<bool>()) refuse(tr("\"input\" has infinite or NaN values"));
  return values;
}

void checkSize(const Model& model, const RawImages& images) {
  const ModelConfig& config = model.config();
  if (takesSize(config, images.height, images.width)) return;
  throw Failure(Error{ErrorCode::InvalidArgument,
                      tr("images are ") + std::to_string(images.height) + " x " +
                          std::to_string(images.width) +
                          tr(" (height x width), but the model takes ") +
                          std::to_string(config.imageHeightPixels()) + " x " +
                          std::to_string(config.imageWidthPixels()) +
                          tr("; give images of that size or another model"),
                      "input"});
}

void checkMapBytes(const Model& model, std::int64_t count) {
  const double bytes = static_cast<double>(count) * mapBytes(model);
  if (bytes > kMaxMapBytes)
    throw Failure(Error{ErrorCode::InvalidArgument,
                        tr("the maps of ") + std::to_string(count) + tr(" images would take ") +
                            std::to_string(static_cast<long long>(bytes / 1e9)) +
                            tr(" GB; give fewer images at a time"),
                        "input"});
}

std::vector<float> plain(const at::Tensor& tensor) {
  const at::Tensor host = tensor.to(at::kCPU, at::kFloat).contiguous();
  return {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()};
}

/// What the queries of a segmenter say last.
void keepQueries(const SegmentScores& scores, std::int64_t image, RawInferenceResult& inference) {
  if (!scores.defined()) return;
  const at::Tensor& masks = scores.masks.back();
  inference.queryLogits = plain(scores.classes.back()[image]);
  inference.queryMasks = plain(masks[image]);
  inference.maskRows = masks.size(2);
  inference.maskCols = masks.size(3);
}

/// Runs one batch through the model, block by block so that it can be stopped.
void runBatch(Model& model, const at::Tensor& images, bool withMaps, std::stop_token stop,
              const std::vector<std::string>& names, std::vector<RawInferenceResult>& inferences) {
  const std::size_t first = inferences.size();
  const std::int64_t count = images.size(0);
  inferences.resize(first + count);
  at::Tensor tokens = model.embed(images);
  for (int l = 0; l < model.layers(); ++l) {
    if (stop.stop_requested()) throw Failure(Error{ErrorCode::Canceled, "stopped", ""});
    CollectingHook tap;
    tokens = model.block(l, tokens, withMaps ? &tap : nullptr);
    if (!withMaps) continue;
    const at::Tensor maps = tap.maps.at(l);
    for (std::int64_t i = 0; i < count; ++i)
      inferences[first + i].maps.layers.push_back(
          {static_cast<int>(maps.size(1)), model.grid(l),
           std::make_shared<const std::vector<float>>(plain(maps[i]))});
  }
  const at::Tensor logits = model.classify(tokens);
  const at::Tensor features = model.pooledFeatures(tokens);
  DetectorAnswer found = answerOf(model, tokens, names);
  const SegmentScores segments = model.findSegments(tokens);
  for (std::int64_t i = 0; i < count; ++i) {
    inferences[first + i].logits = plain(logits[i]);
    if (features.defined()) inferences[first + i].features = plain(features[i]);
    keepQueries(segments, i, inferences[first + i]);
    if (!found.logits.defined()) continue;
    inferences[first + i].objectLogits = plain(found.logits[i]);
    inferences[first + i].objectBoxes = plain(found.boxes[i]);
    inferences[first + i].objects = std::move(found.objects[static_cast<std::size_t>(i)]);
  }
}

/// [B] + shape from one row of equal length for every result.
at::Tensor stacked(const std::vector<const std::vector<float>*>& rows,
                   std::vector<std::int64_t> shape) {
  shape.insert(shape.begin(), static_cast<std::int64_t>(rows.size()));
  at::Tensor tensor = at::empty(shape, at::kFloat);
  float* target = tensor.data_ptr<float>();
  for (const auto* row : rows) {
    if (static_cast<std::int64_t>(row->size() * rows.size()) != tensor.numel())
      throw Failure(Error{ErrorCode::InvalidArgument,
                          tr("images of different proportions give arrays of different sizes; "
                             "give one at a time"),
                          "output"});
    target = std::copy(row->begin(), row->end(), target);
  }
  return tensor;
}

template <typename Select>
at::Tensor stackedFrom(const std::vector<RawInferenceResult>& inferences,
                       std::vector<std::int64_t> shape, Select select) {
  std::vector<const std::vector<float>*> rows;
  for (const auto& inference : inferences)
    rows.push_back(&select(inference));
  return stacked(rows, std::move(shape));
}

at::Tensor stackedMaps(const std::vector<RawInferenceResult>& inferences, std::size_t layer) {
  const LayerMaps& first = inferences.front().maps.layers[layer];
  std::vector<std::shared_ptr<const std::vector<float>>> wholes;
  std::vector<const std::vector<float>*> rows;
  for (const auto& inference : inferences) {
    wholes.push_back(inference.maps.layers.at(layer).whole());
    rows.push_back(wholes.back().get());
  }
  return stacked(rows, {first.heads, first.tokens(), first.tokens()});
}

}  // namespace

bool takesSize(const ModelConfig& model, std::int64_t height, std::int64_t width) {
  if (height == model.imageHeightPixels() && width == model.imageWidthPixels()) return true;
  return model.cropMode == kPadMode && height > 0 && width > 0 && height % kSidesOfPadding == 0 &&
         width % kSidesOfPadding == 0;
}

Result<RawImages> readRawImages(const std::filesystem::path& path) {
  return guarded(path.string(), [&] {
    const at::Tensor input = inputOf(valueOrThrow(readSafetensors(path)), path.string());
    return RawImages{input.size(0), input.size(2), input.size(3), plain(input)};
  });
}

Result<void> writeRawImages(const std::filesystem::path& path, const RawImages& images) {
  return guarded(path.string(), [&] {
    if (static_cast<std::int64_t>(images.values.size()) !=
        images.count * 3 * images.height * images.width)
      throw Failure(Error{ErrorCode::InvalidArgument, tr("values do not fill the shape"), "input"});
    const at::Tensor input =
        at::from_blob(const_cast<float*>(images.values.data()),
                      {images.count, 3, images.height, images.width}, at::kFloat);
    valueOrThrow(writeSafetensors(path, {{"input", input}}));
  });
}

Error noNumbers(const ModelInfo& info, const std::string& what) {
  return {
      ErrorCode::Internal,
      tr("the model's output for ") + what +
          tr(" is not a number (NaN), so it predicts nothing. Its weights contain NaN or overflow; "
             "use an earlier checkpoint, or train again with a smaller training.learning_rate"),
      info.weights.empty() ? info.experiment.model.name : info.weights.string()};
}

bool holdsNaN(const RawInferenceResult& inference) {
  const auto isNaN = [](float value) { return std::isnan(value); };
  return std::any_of(inference.logits.begin(), inference.logits.end(), isNaN) ||
         (inference.logits.empty() &&
          std::any_of(inference.features.begin(), inference.features.end(), isNaN));
}

bool holdsNaN(const AttentionMaps& maps) {
  return std::any_of(maps.layers.begin(), maps.layers.end(), [](const LayerMaps& layer) {
    return layer.values && std::any_of(layer.values->begin(), layer.values->end(),
                                       [](float value) { return std::isnan(value); });
  });
}

bool hasSigmoidScores(const ModelConfig& model) {
  const Json& layout = model.layout;
  if (detectsInCells(model)) return true;
  return layout.is_object() && layout.contains("scores") && layout["scores"] == "sigmoid";
}

std::vector<ClassScore> rankClasses(const std::vector<float>& logits,
                                    const std::vector<std::string>& names, int count,
                                    bool sigmoid) {
  const auto score = [&](int index) {
    return std::isnan(logits[index]) ? -std::numeric_limits<float>::infinity() : logits[index];
  };
  std::vector<int> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return score(a) > score(b); });
  double sum = 0;
  for (const float logit : logits)
    sum += std::exp(double{logit} - score(order.front()));
  order.resize(std::min<std::size_t>(order.size(), static_cast<std::size_t>(std::max(count, 0))));
  std::vector<ClassScore> top;
  for (const int index : order) {
    const bool named = index < static_cast<int>(names.size());
    const double share = sigmoid ? 1 / (1 + std::exp(-double{logits[index]}))
                                 : std::exp(double{logits[index]} - score(order.front())) / sum;
    top.push_back({index, named ? names[index] : "class " + std::to_string(index),
                   static_cast<float>(share)});
  }
  return top;
}

namespace {

/// Where tokens lie, so that the file opens as maps (MapFile.h): no grid needs to be guessed.
std::map<std::string, std::string> gridMetadata(const AttentionMaps& maps) {
  std::map<std::string, std::string> metadata;
  for (std::size_t l = 0; l < maps.layers.size(); ++l) {
    const Grid& grid = maps.layers[l].grid;
    const bool alike = grid == maps.layers.front().grid;
    if (l > 0 && alike) continue;
    metadata[l == 0 ? "grid" : "grid." + std::to_string(l)] =
        std::to_string(grid.rows) + ", " + std::to_string(grid.cols);
  }
  return metadata;
}

void addObjects(const std::vector<RawInferenceResult>& inferences, NamedTensors& tensors) {
  const RawInferenceResult& first = inferences.front();
  const auto count = static_cast<std::int64_t>(first.objectBoxes.size() / 4);
  if (count == 0) return;
  const auto classes = static_cast<std::int64_t>(first.objectLogits.size()) / count;
  tensors.emplace_back("object_logits",
                       stackedFrom(
                           inferences, {count, classes},
                           [](const auto& found) -> auto& { return found.objectLogits; }));
  tensors.emplace_back("object_boxes", stackedFrom(
                                           inferences, {count, 4}, [](const auto& found) -> auto& {
                                             return found.objectBoxes;
                                           }));
}

void addQueries(const std::vector<RawInferenceResult>& inferences, NamedTensors& tensors) {
  const RawInferenceResult& first = inferences.front();
  if (first.queryMasks.empty()) return;
  const auto queries =
      static_cast<std::int64_t>(first.queryMasks.size()) / (first.maskRows * first.maskCols);
  const auto classes = static_cast<std::int64_t>(first.queryLogits.size()) / queries;
  tensors.emplace_back("segment_logits",
                       stackedFrom(
                           inferences, {queries, classes},
                           [](const auto& found) -> auto& { return found.queryLogits; }));
  tensors.emplace_back("segment_masks",
                       stackedFrom(
                           inferences, {queries, first.maskRows, first.maskCols},
                           [](const auto& found) -> auto& { return found.queryMasks; }));
}

}  // namespace

Result<std::vector<RawInferenceResult>> inferRaw(InferenceSession& session, const RawImages& images,
                                                 const MaskScheme& masks, bool withMaps,
                                                 std::stop_token stop) {
  return guarded("input", [&] {
    const ModelInfo& info = session.info();
    std::vector<RawInferenceResult> inferences;
    withModel(session, [&](Model& model) {
      checkSize(model, images);
      if (withMaps) checkMapBytes(model, images.count);
      model.setMasks(masks);
      const at::Tensor all =
          at::from_blob(const_cast<float*>(images.values.data()),
                        {images.count, 3, images.height, images.width}, at::kFloat);
      const at::Device device(info.device);
      for (std::int64_t start = 0; start < images.count; start += kRowsAtOnce) {
        const std::int64_t size = std::min(kRowsAtOnce, images.count - start);
        runBatch(model, all.narrow(0, start, size).to(device), withMaps, stop, namesOfObjects(info),
                 inferences);
      }
    });
    for (auto& inference : inferences) {
      inference.maps.meaning = info.mapMeaning;
      inference.maps.isSigned = info.mapIsSigned;
    }
    return inferences;
  });
}

Result<void> writeRawResults(const std::filesystem::path& path,
                             const std::vector<RawInferenceResult>& inferences,
                             const std::vector<std::vector<float>>& rollouts,
                             const std::vector<RawArray>& more) {
  return guarded(path.string(), [&] {
    if (inferences.empty())
      throw Failure(Error{ErrorCode::InvalidArgument, tr("nothing to write"), path.string()});
    const RawInferenceResult& model = inferences.front();
    NamedTensors tensors;
    if (!model.logits.empty())
      tensors.emplace_back(
          "logits",
          stackedFrom(
              inferences, {static_cast<std::int64_t>(model.logits.size())},
              [](const RawInferenceResult& inference) -> auto& { return inference.logits; }));
    if (model.logits.empty() && !model.features.empty())
      tensors.emplace_back(
          "features",
          stackedFrom(
              inferences, {static_cast<std::int64_t>(model.features.size())},
              [](const RawInferenceResult& inference) -> auto& { return inference.features; }));
    addObjects(inferences, tensors);
    addQueries(inferences, tensors);
    for (std::size_t l = 0; l < model.maps.layers.size(); ++l)
      tensors.emplace_back("attention." + std::to_string(l), stackedMaps(inferences, l));
    if (!rollouts.empty()) {
      std::vector<const std::vector<float>*> rows;
      for (const auto& values : rollouts)
        rows.push_back(&values);
      tensors.emplace_back("rollout",
                           stacked(rows, {static_cast<std::int64_t>(rollouts.front().size())}));
    }
    for (const RawArray& array : more)
      tensors.emplace_back(array.name, at::tensor(array.values, at::kFloat).reshape(array.shape));
    valueOrThrow(writeSafetensors(path, tensors, gridMetadata(model.maps)));
  });
}

}  // namespace headlight
