// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/schemes/MaskPng.h"

#include <algorithm>

#include "core/base/Translation.h"
#include "core/imaging/codecs/Image.h"
#include "core/masks/MaskRegions.h"
#include "core/masks/Neighborhood.h"

namespace headlight {
namespace {

constexpr std::string_view kPngMagic = "\x89PNG\r\n\x1a\n";
constexpr std::size_t kDepthAt = 24;  ///< of IHDR's bits a channel

Error noDrawingIn(const std::string& name, const std::string& why) {
  return {ErrorCode::InvalidFile, why, name};
}

std::string sizeOf(int rows, int cols) {
  return std::to_string(cols) + " × " + std::to_string(rows);
}

Result<DrawnForm> formBySize(int rows, int cols, const Grid& grid, const std::string& name) {
  if (rows == grid.patches() && cols == grid.patches() && grid.patches() > 1)
    return DrawnForm::Pairs;
  if (rows == grid.rows && cols == grid.cols) return DrawnForm::Keys;
  if (rows % 2 == 1 && cols % 2 == 1) return DrawnForm::Offsets;
  const std::string patches = std::to_string(grid.patches());
  return noDrawingIn(
      name, tr("has ") + sizeOf(rows, cols) + tr(" pixels, which fits no form for a layer of ") +
                sizeOf(grid.rows, grid.cols) + tr(" patches: pairs have ") + patches + " × " +
                patches + tr(", keys ") + sizeOf(grid.rows, grid.cols) +
                tr(", offsets an odd width and height"));
}

Result<void> requireSizeOf(const DrawnMask& drawn, const Grid& grid, const std::string& name) {
  HeadMask mask;
  mask.kind = MaskKind::Hard;
  mask.region.kind = RegionKind::Drawn;
  mask.region.drawn = std::make_shared<const DrawnMask>(drawn);
  const auto fits = checkRegion(mask, grid, grid);
  return fits ? Result<void>() : Result<void>(noDrawingIn(name, fits.error().message));
}

Result<void> requirePng(std::string_view bytes, const std::string& name) {
  if (bytes.empty()) return noDrawingIn(name, tr("is empty; draw a mask as a PNG"));
  if (!bytes.starts_with(kPngMagic) || bytes.size() <= kDepthAt)
    return noDrawingIn(name, tr("is not a PNG; save the drawing as one"));
  if (bytes[kDepthAt] == 16)
    return noDrawingIn(name, tr("has 16 bits a channel; save it with 8, or as black and white"));
  return {};
}

}  // namespace

Grid maskGrid(const ModelConfig& model, int layer) {
  int stage = 0;
  for (; stage + 1 < model.stages() && layer >= model.stageDepth(stage); ++stage)
    layer -= model.stageDepth(stage);
  Grid grid = model.grid().strided(1 << stage);
  grid.prefix = grid.registers = 0;
  return grid;
}

Result<DrawnMask> drawnFromPng(std::string_view bytes, const std::string& name, const Grid& grid,
                               const std::string& form) {
  if (auto png = requirePng(bytes, name); !png) return png.error();
  const auto image = decodeImage(bytes, name);
  if (!image) return image.error();
  DrawnMask drawn;
  drawn.rows = image->height;
  drawn.cols = image->width;
  const auto& names = drawnFormNames();
  const auto named = std::find(names.begin(), names.end(), form);
  if (named == names.end() && form != "auto")
    return noDrawingIn(name, tr("can be read as offsets, keys, pairs or auto, not as ") + form);
  if (named == names.end()) {
    const auto bySize = formBySize(drawn.rows, drawn.cols, grid, name);
    if (!bySize) return bySize.error();
    drawn.form = *bySize;
  } else {
    drawn.form = static_cast<DrawnForm>(named - names.begin());
  }
  for (std::size_t i = 0; i + 2 < image->pixels->size(); i += 3) {
    const auto& pixels = *image->pixels;
    drawn.ones.push_back(pixels[i] + pixels[i + 1] + pixels[i + 2] >= 3 * 128);
  }
  if (auto checked = checkDrawn(drawn); !checked) return noDrawingIn(name, checked.error().message);
  if (auto fits = requireSizeOf(drawn, grid, name); !fits) return fits.error();
  return drawn;
}

Result<DrawnMask> drawnFromMask(const HeadMask& mask, const Grid& grid, std::uint64_t seed) {
  if (mask.kind == MaskKind::None || mask.kind == MaskKind::Decay)
    return Error{
        ErrorCode::InvalidArgument,
        tr("this head's mask selects no keys, so there is nothing to draw: ") + toText(mask),
        "masks"};
  if (mask.region.kind == RegionKind::Drawn && mask.region.drawn) return *mask.region.drawn;
  if (auto fits = checkRegion(mask, grid, grid); !fits) return fits.error();
  DrawnMask drawn{DrawnForm::Pairs, grid.patches(), grid.patches(), {}};
  if (std::int64_t{drawn.rows} * drawn.cols > kMaxDrawnPixels) return checkDrawn(drawn).error();
  drawn.ones = selectedMask(mask, grid, grid, seed);
  return drawn;
}

Result<DrawnMask> drawnFromMask(const HeadMask& mask, const ModelConfig& model, int layer,
                                int head) {
  return drawnFromMask(inPatches(mask, model.pixelsPerPatch(layer)), maskGrid(model, layer),
                       randomMaskSeed(mask.seed, layer, head));
}

Result<std::string> drawnToPng(const DrawnMask& drawn) {
  if (auto checked = checkDrawn(drawn); !checked) return checked.error();
  auto pixels = std::make_shared<std::vector<std::uint8_t>>();
  pixels->reserve(drawn.ones.size() * 3);
  for (const std::uint8_t one : drawn.ones)
    pixels->insert(pixels->end(), 3, one != 0 ? 255 : 0);
  return encodePng(Image{drawn.cols, drawn.rows, std::move(pixels)});
}

}  // namespace headlight
