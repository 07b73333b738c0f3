// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A page of images × what is seen in them, for a paper: its description, a value. The window and
// headlight-cli make the same page of it: PageContent.h has what is asked of a model, PageDrawing.h
// how that is drawn and written. No torch type here.
//
// As a file it is JSON:
//   {"kind": "headlight-figure-page", "schema": 1,
//    "model": {"name": "deit_tiny", "weights": "deit.pth"},
//    "images": ["a.jpg", {"path": "maps.safetensors[2]", "label": "a dog"}],
//    "columns": ["image", "head 3.1", {"shows": "relevance (class tabby)", "label": "cat"}],
//    "options": {"scale": "column", "tile": 30}}

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/Parameter.h"
#include "core/workbench/figures/PageColumn.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

inline constexpr std::size_t kMostPageImages = 100;
inline constexpr std::size_t kMostPageColumns = 60;

struct PageImage {
  std::string path;   ///< a file, or "MAPS[2]" of a file of maps
  std::string label;  ///< empty: made from its content
  bool operator==(const PageImage&) const = default;
};

/// How it is asked and drawn: one table for JSON, flags, help and the window's form.
struct PageOptions {
  std::string query;            ///< the token that looks, as tokenFromText(); empty: default
  std::string classText;        ///< an index or a name; empty: the predicted one
  std::string fusion = "mean";  ///< of rollout
  double discard = 0;           ///< of rollout
  double threshold = kDefaultObjectThreshold;  ///< of boxes: what scores less is left out
  std::string scale = "own";        ///< own | row | column | page, as they stand on the page
  std::string style = "headlight";  ///< a MapStyle's name, or "map": without the image
  std::string colormap = "viridis";
  double dim = 0.85;
  double opacity = 0.6;
  bool smooth = true;
  bool maskOutline = false;          ///< what masks let the token look at, over heads' maps
  std::string arrange = "rows";      ///< images are rows | columns
  std::string names = "prediction";  ///< of images: prediction | name | both | none
  bool headings = true;              ///< what each column shows
  bool bars = true;  ///< a color bar with numbers for every scale, and a key of classes
  bool caption = true;
  std::string words;  ///< in place of the caption that is made
  std::string title;
  double tile = 30;  ///< width, mm
  double gap = 1.5;  ///< mm
  double font = 8;   ///< pt
  int dpi = 300;
  bool operator==(const PageOptions&) const = default;
};
const ParameterTable& pageParameters();

/// Which model it is of. All empty: the one that is open, or the maps that its images are of.
struct PageModel {
  std::string name;        ///< as ModelSource::model
  std::string weights;     ///< a file; empty: as the name says
  std::string classNames;  ///< a file; empty: the model's own
  bool partial = false;    ///< the weights fit in part, and may
  Prompts prompts;         ///< as ModelSource::prompts
  Json experiment;         ///< of the model as it was changed, its masks too; null: as it comes
  bool operator==(const PageModel&) const = default;
};

struct FigurePage {
  static constexpr int kSchema = 1;

  PageModel model;
  std::vector<PageImage> images;
  std::vector<PageColumn> columns;
  PageOptions options;
  bool operator==(const FigurePage&) const = default;
};

/// The image, a head, the rollout and, of a model with classes, class relevance: what is useful
/// without a question. `head` −1: the mean of the layer's heads.
std::vector<PageColumn> usefulColumns(const ModelInfo& info, int layer, int head);

Json pageToJson(const FigurePage& page);
std::string pageToText(const FigurePage& page);
/// Errors (InvalidConfig) name the JSON path.
Result<FigurePage> pageFromJson(const Json& json);
/// `name` is for messages.
Result<FigurePage> pageFromText(std::string_view text, const std::string& name);
Result<FigurePage> readFigurePage(const std::filesystem::path& path);

/// What can be said before anything is evaluated: no images, no columns, a size beyond all paper,
/// layers and heads that the model lacks, classes of a model that has none, explanations of maps
/// alone. Errors name the column ("columns[2], head 12.1").
Result<void> checkPage(const FigurePage& page, const ModelInfo& info);

/// Opens the page's model, or the maps that its images are of. Errors: InvalidConfig where it
/// says neither; those of InferenceSession.
Result<std::unique_ptr<InferenceSession>> openPageModel(const FigurePage& page);
/// The page's masks, or those that the model came with.
Result<MaskScheme> masksOfPage(const FigurePage& page, const ModelInfo& info);

}  // namespace headlight
