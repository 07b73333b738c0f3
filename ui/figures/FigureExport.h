// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Exports a tab's content for a paper: PNG (with its session), SVG or PDF with real text.

#include <QByteArray>
#include <QImage>
#include <QPaintDevice>
#include <QPainter>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

#include "core/base/Result.h"
#include "core/workbench/objects/ObjectMatch.h"
#include "core/workbench/session/MaskSight.h"
#include "ui/canvas/ImagePainting.h"
#include "ui/canvas/ViewedObjects.h"
#include "ui/document/Document.h"

namespace headlight {

enum class FigureKind {
  Canvas,  ///< the image and the chosen head's map
  Heads,   ///< every head
  Rollout,
  Similarity,  ///< layers × layers
  Comparison,  ///< left, right, and the difference
};

/// An image with a map over it.
struct FigurePanel {
  QString title;  ///< above it; may be empty
  MapOverlay map;
  bool plotBar = false;  ///< its own colors and range below it
  Image image;
  QRectF region;                       ///< what the model sees, in image pixels
  QRectF cursor;                       ///< the token's patch, in image pixels; may be empty
  MaskSight mask = {};                 ///< outlined over the region
  std::optional<BoxSides> found = {};  ///< of a marked object, in [0, 1] of the region
  std::vector<TruthMark> truth = {};   ///< in image pixels; below `found`
};

/// Everything a figure needs, taken out of the Document in its thread; writeFigure may then run in
/// any thread.
struct FigureRequest {
  FigureKind kind = FigureKind::Canvas;
  QString path;            ///< .png, .svg or .pdf: the name says which
  int widthPixels = 1600;  ///< PNG: 100 to 16,000; SVG and PDF are widthPixels / dpi inches wide
  int dpi = 192;           ///< 36 to 1200; says how large text is
  QString title;           ///< above it; empty: none. captureFigure proposes image and model
  bool legend = true;
  QByteArray session;  ///< JSON; PNG: the text chunk kSessionKeyword; PDF: an attachment

  // Filled by captureFigure.
  Image image;
  QString imageName, modelName;
  ModelInfo model;
  MaskScheme masks;
  ViewOptions view;
  std::shared_ptr<const InferenceResult> inference;
  std::shared_ptr<const RecordedView> recorded;  ///< if the result was recorded by a run
  QRectF region;                                 ///< image region that the model saw
  std::shared_ptr<const LayerSimilarity>
      averages;                    ///< of layers, over a dataset; null: this image's
  std::vector<FigurePanel> sides;  ///< comparison
  std::size_t sidesInARow = 0;     ///< 0: all of them
  Legend caption;                  ///< a rollout's range is set when it is computed
};

inline constexpr int kLeastFigureWidth = 100, kMostFigureWidth = 16'000;  ///< pixels
inline constexpr int kLeastFigureDpi = 36, kMostFigureDpi = 1200;

/// Any kind but a comparison. Fails without a model or an image.
Result<FigureRequest> captureFigure(const Document& document, FigureKind kind);
/// Fails if a side shows no map.
Result<FigureRequest> captureComparison(const Document& left, const Document& right,
                                        bool difference = true);
/// The map of the chosen layer, head and token over the image; empty if there is none.
std::optional<FigurePanel> canvasPanel(const Document& document, const QString& title);
/// The figure as an image, as in a PNG.
Result<QImage> figureImage(const FigureRequest& request);
/// Draws and writes, all or nothing. May take seconds for a rollout of a large model.
Result<void> writeFigure(const FigureRequest& request);

/// Writes a captured figure; an empty text is success.
QString exportFigure(Result<FigureRequest> captured, const QString& path,
                     const QByteArray& session = {}, int widthPixels = 1600, int dpi = 192);

}  // namespace headlight
