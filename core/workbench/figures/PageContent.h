// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a figure page shows, worked out: for every image and column a map, colors or the image,
// and the words for them. How it is drawn, and on which scales, is PageDrawing.h's: what is worked
// out stays while that changes. No torch type here. Blocks its caller's thread.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/attribution/Explanations.h"
#include "core/workbench/figures/FigurePage.h"
#include "core/workbench/session/MaskSight.h"
#include "core/workbench/session/TrueBoxes.h"

namespace headlight {

/// One image in one column. All empty: the image itself, and what was found over it.
struct PageTile {
  std::string subject;        ///< "layer 3, head 1", "class relevance": its heading
  std::string words;          ///< "attention of the class token in layer 3, head 1"
  std::string className;      ///< of which class; empty: of none
  std::string note;           ///< what must be said of it; often empty
  std::vector<float> values;  ///< [rows × cols], NaN where nothing is seen
  Grid grid;
  bool isSigned = false;
  bool blends = true;   ///< false: blocks, even where smooth maps are wanted
  MaskSight mask = {};  ///< of a head; drawn where the page wants it
  std::optional<FeatureColors::Projection> colors;
  std::vector<FoundObject> objects = {};  ///< boxed, best first
  std::shared_ptr<const FoundSegments> segments = {};
  std::optional<BoxSides> box = {};  ///< of a marked object, in [0, 1] of what the model sees

  bool isMap() const { return !values.empty(); }
};

/// A marked object beside the true boxes of its image.
struct PageMatch {
  double overlap = 0;  ///< IoU in [0, 1] with the box that `text` names
  std::string text;    ///< "IoU 0.62 with cat"; empty: no box, or no true box is known
};

struct PageRow {
  std::string path;
  std::string name;           ///< "goldfinch.jpg", "maps[2]"
  Image view;                 ///< the region that the model saw, in the original's pixels
  int width = 0, height = 0;  ///< of the original
  std::vector<ClassScore> top;
  std::vector<std::shared_ptr<const PageTile>> tiles;  ///< [columns]
  std::vector<PageMatch> matches = {};                 ///< [columns]
};

struct PageContent {
  std::vector<PageRow> rows;
  std::string model;    ///< "deit_tiny, weights deit.pth, masks: sch2"
  std::string meaning;  ///< of attention maps, in words; empty where they are plain softmax

  /// For every image and request, so that a changed page is not computed again.
  std::map<std::string, std::shared_ptr<const PageTile>> known;
};

/// How a program reads what a page names: the window has images of its own.
using ReadPageImage = std::function<Result<Image>(const std::string& path)>;
/// A file, or an image of a file of maps.
Result<Image> readPageImage(const std::string& path);

/// The true boxes of what a page names; null: none are known. May throw Failure.
using FindPageTruth = std::function<std::shared_ptr<const TrueBoxes>(const std::string& path)>;

struct PageEvaluationOptions {
  ReadPageImage read = readPageImage;
  FindPageTruth truth = {};  ///< empty: of no image
  /// For the same session, its weights and masks as they are; null: nothing is known yet.
  std::shared_ptr<const PageContent> before;
  ProgressCallback progress;
  std::stop_token stop;
};

/// Errors: those of checkPage(); an image that cannot be read, by its path; a token that a
/// column's layer does not have; Canceled.
Result<PageContent> evaluatePage(InferenceSession& session, const MaskScheme& masks,
                                 const FigurePage& page, const PageEvaluationOptions& looking = {});

}  // namespace headlight
