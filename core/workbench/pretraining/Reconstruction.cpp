// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/pretraining/Reconstruction.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/attention/base/AttentionHook.h"
#include "core/base/Random.h"
#include "core/base/Translation.h"
#include "core/models/Registry.h"
#include "core/models/backbones/MaskedAutoencoder.h"
#include "core/models/pretraining/KeptPatches.h"
#include "core/models/pretraining/PixelPatches.h"
#include "core/training/step/EvaluationMode.h"
#include "core/workbench/session/Images.h"
#include "core/workbench/session/ModelAccess.h"
#include "core/workbench/session/RawTensors.h"

namespace headlight {
namespace {

constexpr std::uint64_t kReconstructionPurpose = 0x7265636fULL;  // "reco"
constexpr std::uint8_t kDroppedGray = 128;
constexpr int kGap = 4;

/// While it lives, no head of the model is masked.
class UnmaskedScope {
 public:
  explicit UnmaskedScope(Model& model) : m_model(model), m_before(model.masks()) {
    m_model.setMasks(MaskScheme(m_before.shape()));
  }
  UnmaskedScope(const UnmaskedScope&) = delete;
  UnmaskedScope& operator=(const UnmaskedScope&) = delete;
  ~UnmaskedScope() { m_model.setMasks(m_before); }

 private:
  Model& m_model;
  MaskScheme m_before;
};

double ratioFrom(const ReconstructionRequest& request, const ModelConfig& model) {
  const double ratio = request.maskRatio.value_or(trainedMaskRatio(model));
  if (ratio > 0 && ratio < 1) return ratio;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("the share of dropped patches must be between 0 and 1, exclusive"),
                 "mask ratio"});
}

at::Tensor tensorOf(const Image& view, const Preprocessing& preprocessing) {
  std::vector<float> values = normalize(view, preprocessing);
  return at::from_blob(values.data(), {1, 3, view.height, view.width}, at::kFloat).clone();
}

/// [1, 3, H, W], normalized → 8 bits.
Image imageOf(const at::Tensor& normalized, const Preprocessing& preprocessing) {
  const auto column = [](const std::array<float, 3>& values) {
    return at::tensor({values[0], values[1], values[2]}, at::kFloat).view({1, 3, 1, 1});
  };
  const at::Tensor shares =
      normalized * column(preprocessing.deviation) + column(preprocessing.mean);
  const at::Tensor bytes =
      (shares.clamp(0, 1) * 255).round().to(at::kByte).select(0, 0).permute({1, 2, 0}).contiguous();
  const auto* first = bytes.data_ptr<std::uint8_t>();
  return {static_cast<int>(bytes.size(1)), static_cast<int>(bytes.size(0)),
          std::make_shared<const std::vector<std::uint8_t>>(first, first + bytes.numel())};
}

/// What is computed of one image, on the processor.
struct Rebuilding {
  at::Tensor predicted, dropped;  ///< [1, N, p·p·3], [1, N] bool
  double loss = 0;
  at::Tensor map;  ///< [1, H, K, K] of the layer asked for
};

void requireLayer(const std::optional<int>& layer, const ModelInfo& info) {
  const int layers = static_cast<int>(info.heads.size());
  if (!layer || (*layer >= 0 && *layer < layers)) return;
  throw Failure({ErrorCode::InvalidArgument,
                 tr("must be from 0 to ") + std::to_string(layers - 1) + tr(": the model has ") +
                     std::to_string(layers) + tr(" layers"),
                 "layer"});
}

Rebuilding rebuildingOf(Model& model, const at::Tensor& pixels, const at::Tensor& kept,
                        const std::optional<int>& layer) {
  const at::NoGradGuard noGrad;
  const EvaluationMode mode(model);
  const UnmaskedScope unmasked(model);
  MaskedAutoencoder& autoencoder = autoencoderIn(model);
  const at::Device device = model.parameters().front().device();
  CollectingHook hook([&](int each) { return layer == each; });
  const at::Tensor predicted =
      autoencoder.rebuild(pixels.to(device), kept.to(device), layer ? &hook : nullptr).to(at::kCPU);
  const auto& layout = autoencoder.layout();
  const at::Tensor loss =
      rebuildLosses(predicted, pixels, kept, model.config().patchSize, layout.normalizedTargets);
  return {predicted, droppedPatches(kept, predicted.size(1)), loss.item<double>(),
          layer ? hook.maps.at(*layer).to(at::kCPU, at::kFloat).contiguous() : at::Tensor()};
}

/// Of each token of the grid its place among the kept ones; -1: dropped.
std::vector<int> placesAmongKept(const at::Tensor& kept, const Grid& grid) {
  std::vector<int> places(static_cast<std::size_t>(grid.tokens()), -1);
  int next = 0;
  for (; next < grid.prefix; ++next)
    places[static_cast<std::size_t>(next)] = next;
  for (std::int64_t i = 0; i < kept.size(1); ++i)
    places[static_cast<std::size_t>(grid.prefix + kept.data_ptr<std::int64_t>()[i])] = next++;
  return places;
}

std::optional<KeptAttention> keptAttentionOf(const at::Tensor& map, const at::Tensor& kept,
                                             const std::optional<int>& layer,
                                             const ModelInfo& info) {
  if (!map.defined()) return std::nullopt;
  const auto* values = map.data_ptr<float>();
  return KeptAttention{*layer,
                       static_cast<int>(map.size(1)),
                       info.grid,
                       placesAmongKept(kept, info.grid),
                       {values, values + map.numel()},
                       info.mapMeaning,
                       info.mapIsSigned};
}

/// The pixels of the dropped patches as predicted, the others as they are.
at::Tensor filledIn(const Rebuilding& rebuilding, const at::Tensor& pixels, bool normalized,
                    const ModelConfig& model) {
  const at::Tensor truth = pixelPatches(pixels, model.patchSize);
  const PatchScale scale = scaleOfPatches(truth);
  const at::Tensor shown =
      normalized ? rebuilding.predicted * scale.deviation + scale.mean : rebuilding.predicted;
  return imagesOfPatches(at::where(rebuilding.dropped.unsqueeze(-1), shown, truth), model.grid(),
                         model.patchSize);
}

/// With the dropped patches in gray.
Image withoutDropped(const Image& view, const at::Tensor& dropped, const ModelConfig& model) {
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(*view.pixels);
  const Grid grid = model.grid();
  const bool* gone = dropped.data_ptr<bool>();
  for (int y = 0; y < view.height; ++y)
    for (int x = 0; x < view.width; ++x)
      if (gone[y / model.patchSize * grid.cols + x / model.patchSize])
        std::fill_n(pixels->begin() + 3 * (std::ptrdiff_t{y} * view.width + x), 3, kDroppedGray);
  return {view.width, view.height, pixels};
}

}  // namespace

Result<void> canReconstruct(const ModelConfig& model) {
  if (taskOf(model) == Task::Rebuild) return {};
  return Error{ErrorCode::InvalidArgument,
               tr("the model has no decoder to reconstruct images with; choose an MAE. A file of "
                  "facebookresearch/mae keeps its decoder if opened as mae_vit_base"),
               "model"};
}

double trainedMaskRatio(const ModelConfig& model) {
  return model.layout.value("mask_ratio", AutoencoderLayout().maskRatio);
}

Result<Reconstruction> reconstruct(InferenceSession& session, const Image& image,
                                   const ReconstructionRequest& request) {
  return guarded("reconstruction", [&]() -> Reconstruction {
    const ModelConfig& config = session.info().experiment.model;
    valueOrThrow(canReconstruct(config));
    requireLayer(request.layer, session.info());
    const Preprocessing preprocessing = makePreprocessing(config);
    const Image view = evaluationView(image, preprocessing);
    const at::Tensor pixels = tensorOf(view, preprocessing);
    const std::int64_t patches = config.grid().patches();
    const std::int64_t count = keptCount(patches, ratioFrom(request, config));
    const at::Tensor kept =
        keptPatches(patches, count, {streamKey({kReconstructionPurpose, request.seed})});
    Rebuilding rebuilding;
    bool normalized = true;
    withModel(session, [&](Model& model) {
      rebuilding = rebuildingOf(model, pixels, kept, request.layer);
      normalized = autoencoderIn(model).layout().normalizedTargets;
    });
    if (!std::isfinite(rebuilding.loss)) throw Failure(noNumbers(session.info(), "this image"));
    return {withoutDropped(view, rebuilding.dropped, config),
            imageOf(filledIn(rebuilding, pixels, normalized, config), preprocessing),
            view,
            rebuilding.loss,
            patches,
            patches - count,
            keptAttentionOf(rebuilding.map, kept, request.layer, session.info())};
  });
}

Image besideEachOther(const Reconstruction& reconstruction, const std::optional<Image>& more) {
  std::vector<const Image*> parts{&reconstruction.masked, &reconstruction.rebuilt,
                                  &reconstruction.original};
  if (more) parts.push_back(&*more);
  const int count = static_cast<int>(parts.size());
  const int width = parts[0]->width, height = parts[0]->height,
            whole = count * width + (count - 1) * kGap;
  auto pixels = std::make_shared<std::vector<std::uint8_t>>(
      static_cast<std::size_t>(3) * whole * height, std::uint8_t{255});
  for (int part = 0; part < count; ++part)
    for (int y = 0; y < height; ++y)
      std::copy_n(parts[static_cast<std::size_t>(part)]->row(y), 3 * width,
                  pixels->begin() + 3 * (std::ptrdiff_t{y} * whole + part * (width + kGap)));
  return {whole, height, pixels};
}

std::string reconstructionText(const Reconstruction& reconstruction) {
  char line[120];
  std::snprintf(line, sizeof line, tr("loss %.4f, %lld of %lld patches dropped"),
                reconstruction.loss, static_cast<long long>(reconstruction.dropped),
                static_cast<long long>(reconstruction.patches));
  return line;
}

}  // namespace headlight
