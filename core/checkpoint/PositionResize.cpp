// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/PositionResize.h"

#include <ATen/ops/_upsample_bicubic2d_aa.h>
#include <ATen/ops/_upsample_bilinear2d_aa.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/upsample_bicubic2d.h>

#include <cmath>
#include <limits>

namespace headlight {
namespace {

constexpr std::int64_t kMaxPrefix = 2;

struct Layout {
  std::int64_t prefix = 0, rows = 0, cols = 0;
};

/// Patches as the model's grid, or as a square.
std::optional<Layout> layoutWith(std::int64_t tokens, std::int64_t prefix,
                                 const PositionLayout& model) {
  const std::int64_t patches = tokens - prefix;
  if (patches < 1) return std::nullopt;
  if (patches == model.rows * model.cols) return Layout{prefix, model.rows, model.cols};
  const auto side =
      static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(patches))));
  if (side * side != patches) return std::nullopt;
  return Layout{prefix, side, side};
}

/// The file's prefix tokens are not said anywhere: try what it names, then what the model has.
std::optional<Layout> guessLayout(std::int64_t tokens, std::int64_t filePrefix,
                                  std::int64_t modelPrefix, const PositionLayout& model) {
  const std::int64_t said = tokens - model.fileRows * model.fileCols;
  if (model.fileRows > 0 && said >= 0 && said <= std::max(kMaxPrefix, modelPrefix))
    return Layout{said, model.fileRows, model.fileCols};
  for (const std::int64_t prefix :
       {filePrefix, modelPrefix, std::int64_t{1}, kMaxPrefix, std::int64_t{0}})
    if (const auto layout = layoutWith(tokens, prefix, model)) return layout;
  return std::nullopt;
}

/// [1, D, rows, cols] → [1, D, rows', cols'], corners not aligned.
at::Tensor filtered(const at::Tensor& grid, at::IntArrayRef size, PositionFilter filter) {
  switch (filter) {
    case PositionFilter::Bicubic:
      return at::upsample_bicubic2d(grid, size, /*align_corners=*/false);
    case PositionFilter::BilinearAntialiased:
      return at::_upsample_bilinear2d_aa(grid, size, /*align_corners=*/false);
    case PositionFilter::BicubicAntialiased:
      break;
  }
  return at::_upsample_bicubic2d_aa(grid, size, /*align_corners=*/false);
}

const char* filterText(PositionFilter filter) {
  switch (filter) {
    case PositionFilter::Bicubic:
      return "bicubic without antialiasing, as the library of the file";
    case PositionFilter::BilinearAntialiased:
      return "bilinear, as the library of the file";
    case PositionFilter::BicubicAntialiased:
      break;
  }
  return "bicubic";
}

/// [1, rows·cols, D] → [1, rows'·cols', D].
at::Tensor resample(const at::Tensor& patches, const Layout& from, const PositionLayout& to) {
  const std::int64_t width = patches.size(2);
  const at::Tensor grid =
      patches.to(at::kFloat).reshape({1, from.rows, from.cols, width}).permute({0, 3, 1, 2});
  const std::int64_t size[] = {to.rows, to.cols};
  return filtered(grid.contiguous(), at::IntArrayRef(size, 2), to.filter)
      .permute({0, 2, 3, 1})
      .reshape({1, to.rows * to.cols, width});
}

std::string gridText(std::int64_t rows, std::int64_t cols) {
  return std::to_string(rows) + "×" + std::to_string(cols);
}

}  // namespace

bool isPositionEmbedding(const std::string& name) {
  return name == "pos_embed" || name.ends_with(".pos_embed") || name == "mid_pos_embed" ||
         name == "decoder_pos_embed";
}

namespace {

/// Those of several blocks, [L, 1, T, D], one after the other.
std::optional<ResizedPositions> resizeEach(const at::Tensor& file, const at::Tensor& model,
                                           const PositionLayout& layout, std::int64_t filePrefix) {
  if (model.dim() != 4 || file.size(0) != model.size(0) || file.size(0) == 0) return std::nullopt;
  std::vector<at::Tensor> blocks;
  std::optional<ResizedPositions> one;
  for (std::int64_t block = 0; block < file.size(0); ++block) {
    one = resizePositions(file.select(0, block), model.select(0, block), layout, filePrefix);
    if (!one) return std::nullopt;
    blocks.push_back(one->value);
  }
  one->value = at::stack(blocks);
  return one;
}

}  // namespace

std::optional<ResizedPositions> resizePositions(const at::Tensor& file, const at::Tensor& model,
                                                const PositionLayout& layout,
                                                std::int64_t filePrefix) {
  if (file.dim() == 4) return resizeEach(file, model, layout, filePrefix);
  const auto fits = [](const at::Tensor& tensor) {
    return tensor.dim() == 3 && tensor.size(0) == 1 && tensor.size(2) > 0 &&
           at::isFloatingType(tensor.scalar_type());
  };
  constexpr std::int64_t kMaxSide = 1 << 20;  // so that the product below cannot overflow
  if (!fits(file) || !fits(model) || file.size(2) != model.size(2)) return std::nullopt;
  if (layout.rows < 1 || layout.cols < 1 || layout.rows > kMaxSide || layout.cols > kMaxSide)
    return std::nullopt;
  const std::int64_t modelPrefix = model.size(1) - layout.rows * layout.cols;
  // A model may have prefix tokens without positions (CaiT), never positions without tokens.
  if (modelPrefix != layout.prefixTokens && modelPrefix != 0) return std::nullopt;
  const auto from = guessLayout(file.size(1), filePrefix, modelPrefix, layout);
  if (!from) return std::nullopt;

  ResizedPositions result;
  at::Tensor patches = file.slice(1, from->prefix).to(at::kFloat);
  result.change = gridText(from->rows, from->cols) + " → " + gridText(layout.rows, layout.cols);
  if (from->rows != layout.rows || from->cols != layout.cols) {
    patches = resample(patches, *from, layout);
    result.how = filterText(layout.filter);
  } else {
    result.how = "same grid";
  }
  const std::int64_t kept = std::min(from->prefix, modelPrefix);
  const at::Tensor given = file.slice(1, 0, kept).to(at::kFloat);
  const at::Tensor own = model.detach().slice(1, kept, modelPrefix).to(at::kCPU).to(at::kFloat);
  result.value = at::cat({given, own, patches}, 1).to(model.scalar_type()).contiguous();
  if (modelPrefix > kept)
    result.how += ", " + std::to_string(modelPrefix - kept) +
                  " prefix position(s) not in the file kept from the model";
  if (from->prefix > kept)
    result.how +=
        ", " + std::to_string(from->prefix - kept) + " prefix position(s) of the file dropped";
  return result;
}

}  // namespace headlight
