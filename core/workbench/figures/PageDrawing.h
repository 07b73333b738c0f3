// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A figure page on paper: tiles in the colors and on the ranges that the window and `attend` have
// (MapRendering.h), words as text, written as PDF, SVG or PNG. No torch type here.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/imaging/drawing/Drawing.h"
#include "core/workbench/figures/PageContent.h"
#include "core/workbench/session/MapRendering.h"

namespace headlight {

/// How each map is drawn: [image][column]; nothing for what is no map. Maps that share a scale
/// share all of it. Throws nothing.
using PageScales = std::vector<std::vector<std::optional<DrawnMap>>>;
PageScales pageScales(const FigurePage& page, const PageContent& inference);

/// For a tile: pixels of its width and height on a page of that many pixels an inch.
std::pair<int, int> tilePixels(const PageOptions& options, const Image& view);
/// One tile of that size; `drawn` is nothing for what is no map. Throws Failure as heatmap().
Image tileImage(const PageOptions& options, const Image& view, const PageTile& tile,
                const std::optional<DrawnMap>& drawn, int width, int height);

/// The heading of a column and what stands beside an image; empty: nothing.
std::string columnHeading(const FigurePage& page, const PageContent& inference, std::size_t column);
std::string imageLabel(const FigurePage& page, const PageContent& inference, std::size_t image);
/// What is shown, how it is scaled, of which model: what stands below, unless the page has words of
/// its own.
std::string pageCaption(const FigurePage& page, const PageContent& inference);

/// Errors: InvalidArgument for a page of more than 64 megapixels at its dpi; the content of
/// another page.
Result<Drawing> drawPage(const FigurePage& page, const PageContent& inference);
/// On white, `dpi` pixels an inch in place of the page's own.
Result<Image> pageImage(const FigurePage& page, const PageContent& inference, int dpi);

/// Whether the name is one of a page: .pdf, .svg or .png; InvalidArgument.
Result<void> checkPageName(const std::filesystem::path& path);
/// `text`: more chunks for a PNG (keyword, value). Errors: another name, Io.
Result<void> writePage(const std::filesystem::path& path, const FigurePage& page,
                       const PageContent& inference,
                       const std::vector<std::pair<std::string, std::string>>& text = {});

}  // namespace headlight
