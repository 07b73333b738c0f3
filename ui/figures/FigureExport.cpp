// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FigureExport.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <cmath>

#include "core/base/files/Files.h"
#include "core/workbench/loading/Input.h"
#include "ui/base/CoreText.h"
#include "ui/base/Images.h"
#include "ui/base/SanitizedText.h"
#include "ui/canvas/ViewedMap.h"
#include "ui/canvas/ViewedRollout.h"
#include "ui/compare/ComparedMaps.h"
#include "ui/compare/SimilarityPainting.h"
#include "ui/figures/FigurePainting.h"

namespace headlight {
namespace {

constexpr double kMostPixels = 120e6;  ///< of a PNG
constexpr double kUnitsPerInch = 96;   ///< figures are laid out in these, whatever the dpi

Error refusal(const QString& message, const QString& where = {}) {
  return {ErrorCode::InvalidArgument, message.toStdString(), where.toStdString()};
}

Result<void> write(const FigureRequest& request, const QByteArray& bytes) {
  return writeFileAtomically(
      std::filesystem::path(request.path.toStdU16String()),
      std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
}

/// The legend of all heads, with a note on the outlined one.
Legend outlinedLegend(Legend legend, const ViewOptions& view) {
  const QString head =
      view.head < 0 ? QObject::tr("the mean of its heads") : QObject::tr("head %1").arg(view.head);
  const QString outlined = QObject::tr("Outlined: layer %1, %2.").arg(view.layer).arg(head);
  legend.note = legend.note.isEmpty() ? outlined : outlined + QLatin1Char(' ') + legend.note;
  return legend;
}

Legend makeFigureLegend(const Document& document, FigureKind kind) {
  const ViewOptions& view = document.view().options();
  const auto inference = document.inference();
  switch (kind) {
    case FigureKind::Canvas:
      return canvasLegend(document, canvasMap(document));
    case FigureKind::Heads:
      return outlinedLegend(headsLegend(document), view);
    case FigureKind::Rollout:
      return rolloutLegend(document, document.recorded().view() ? RolloutOptions() : view.rollout,
                           {});
    case FigureKind::Similarity:
      if (const auto& averages = document.numbers().layers().values;
          document.numbers().layers().averaged && averages)
        return similarityLegend(*averages, view.head, view.colorMap, document.sourceNote());
      return similarityLegend(
          view.head, inference ? inference->maps.isSigned : document.inputs().model().mapIsSigned,
          view.colorMap, document.sourceNote());
    case FigureKind::Comparison:
      break;
  }
  return {};
}

/// The chosen token's patch on the grid of a map, in image pixels.
QRectF cursorPatch(const Document& document, const MapOverlay& map, const QRectF& region) {
  const Grid grid{map.rows, map.cols, document.inputs().model().grid.prefix};
  const int query =
      queryInLayer(document.view().options().query, document.inputs().model().grid, grid);
  return patchInRegion(region, grid.rows, grid.cols, query - grid.prefix);
}

FigurePanel sidePanel(const Document& document, const QString& title, const MapOverlay& map) {
  const QRectF region = shownRegion(document);
  return {title,           map,
          /*ownBar=*/true, document.recorded().shownImage(),
          region,          cursorPatch(document, map, region)};
}

QString sideText(const QString& side, const Document& document) {
  return side + QStringLiteral(": ") + describeSide(document) + QStringLiteral(" · ") +
         document.view().describe();
}

Legend comparisonLegend(const Document& left, const Document& right,
                        const std::optional<MapDifference>& difference, const Grid& grid) {
  Legend legend;
  legend.title = sideText(QObject::tr("left"), left);
  legend.detail = QObject::tr("left and right share one scale");
  legend.note = sideText(QObject::tr("Right"), right);
  if (difference)
    legend.note += QObject::tr(". Right − left: ") + coreText(differenceText(*difference, grid));
  for (const QString& meaning : {shownNote(left), shownNote(right)})
    if (!meaning.isEmpty() && !legend.note.contains(meaning))
      legend.note += QStringLiteral(". ") + meaning;
  return legend;
}

Result<QImage> paintedImage(const FigureRequest& request, const FigureContent& content,
                            QSizeF units) {
  const double scale = request.dpi / kUnitsPerInch;
  const QSize pixels(request.widthPixels, static_cast<int>(std::ceil(units.height() * scale)));
  if (static_cast<double>(pixels.width()) * pixels.height() > kMostPixels)
    return refusal(QObject::tr("a figure of %1 × %2 pixels is too large; choose a smaller width")
                       .arg(pixels.width())
                       .arg(pixels.height()),
                   request.path);
  QImage canvas(pixels, QImage::Format_RGB32);
  if (canvas.isNull())
    return Error{ErrorCode::Internal,
                 QObject::tr("not enough memory for a figure of this size").toStdString(),
                 request.path.toStdString()};
  canvas.fill(Qt::white);
  QPainter painter(&canvas);
  painter.scale(scale, scale);
  paintFigure(painter, units, content, scale);
  painter.end();
  return canvas;
}

Result<void> writePng(const FigureRequest& request, const FigureContent& content, QSizeF units) {
  const auto canvas = paintedImage(request, content, units);
  if (!canvas) return canvas.error();
  std::vector<std::pair<std::string, std::string>> text{{"Software", "Headlight"}};
  if (!request.session.isEmpty()) text.emplace_back(kSessionKeyword, request.session.toStdString());
  const auto png = encodePng(fromQImage(*canvas), text);
  if (!png) return png.error();
  return writeFileAtomically(std::filesystem::path(request.path.toStdU16String()), *png);
}

Result<void> writeSvg(const FigureRequest& request, const FigureContent& content, QSizeF units) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  QSvgGenerator generator;
  generator.setOutputDevice(&buffer);
  generator.setResolution(static_cast<int>(kUnitsPerInch));
  generator.setSize(units.toSize());
  generator.setViewBox(QRectF(QPointF(0, 0), units));
  generator.setTitle(content.title);
  generator.setDescription(content.legend.title + QStringLiteral("; ") + content.legend.detail);
  QPainter painter;
  if (!painter.begin(&generator))
    return Error{ErrorCode::Internal, QObject::tr("the SVG could not be drawn").toStdString(),
                 request.path.toStdString()};
  paintFigure(painter, units, content, request.dpi / kUnitsPerInch);
  painter.end();
  return write(request, bytes);
}

Result<void> writePdf(const FigureRequest& request, const FigureContent& content, QSizeF units) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    const double pointsPerUnit = 72 / kUnitsPerInch;
    writer.setTitle(content.title);
    writer.setCreator(QStringLiteral("Headlight"));
    writer.setResolution(request.dpi);
    writer.setPageSize(
        QPageSize(units * pointsPerUnit, QPageSize::Point, {}, QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    if (!request.session.isEmpty())
      writer.addFileAttachment(QStringLiteral("headlight-session.json"), request.session,
                               QStringLiteral("application/json"));
    QPainter painter;
    if (!painter.begin(&writer))
      return Error{ErrorCode::Internal, QObject::tr("the PDF could not be drawn").toStdString(),
                   request.path.toStdString()};
    const double scale = request.dpi / kUnitsPerInch;
    painter.scale(scale, scale);
    paintFigure(painter, units, content, scale);
    painter.end();
  }
  return write(request, bytes);
}

}  // namespace

Result<FigureRequest> captureFigure(const Document& document, FigureKind kind) {
  if (!document.inputs().hasModel())
    return refusal(QObject::tr("no model is open; open one first"));
  if (!document.inputs().hasImage())
    return refusal(QObject::tr("no image is open; open one first"));
  FigureRequest request;
  request.kind = kind;
  request.image = document.recorded().shownImage();
  request.imageName = document.recorded().shownImageName();
  request.region = shownRegion(document);
  request.recorded = document.recorded().view();
  request.model = document.inputs().model();
  request.modelName = document.modelTitle();
  request.title = request.imageName + QStringLiteral(" · ") + request.modelName;
  request.masks = document.recorded().shownMasks();
  request.view = document.view().options();
  request.inference = document.inference();
  if (!request.inference || request.inference->maps.layers.empty())
    return refusal(QObject::tr("the maps are still being computed; try again in a moment"));
  if (kind == FigureKind::Similarity && document.numbers().layers().averaged) {
    request.averages = document.numbers().layers().values;
    if (!request.averages)
      return refusal(
          QObject::tr("the layers are still being compared on the dataset; try again in a moment"));
    request.title = request.modelName;
  }
  request.caption = makeFigureLegend(document, kind);
  request.caption.weights.clear();  // the title has them
  return request;
}

std::optional<FigurePanel> canvasPanel(const Document& document, const QString& title) {
  const auto map = canvasMap(document);
  if (!map) return std::nullopt;
  return sidePanel(document, title, *map);
}

Result<QImage> figureImage(const FigureRequest& request) {
  return guarded("figure", [&] {
    const auto content = valueOrThrow(figureContent(request));
    const QSizeF units = figureSize(content, request.widthPixels * kUnitsPerInch / request.dpi);
    return valueOrThrow(paintedImage(request, content, units));
  });
}

Result<void> writeFigure(const FigureRequest& request) {
  if (request.widthPixels < kLeastFigureWidth || request.widthPixels > kMostFigureWidth)
    return refusal(QObject::tr("a width of %1 pixels is not between %2 and %3")
                       .arg(request.widthPixels)
                       .arg(kLeastFigureWidth)
                       .arg(kMostFigureWidth));
  if (request.dpi < kLeastFigureDpi || request.dpi > kMostFigureDpi)
    return refusal(QObject::tr("a resolution of %1 dots per inch is not between %2 and %3")
                       .arg(request.dpi)
                       .arg(kLeastFigureDpi)
                       .arg(kMostFigureDpi));
  const QString suffix = QFileInfo(request.path).suffix().toLower();
  if (suffix != "png" && suffix != "svg" && suffix != "pdf")
    return refusal(QObject::tr("the name of a figure must end in .png, .svg or .pdf"),
                   request.path);
  return guarded(request.path.toStdString(), [&]() -> Result<void> {
    const auto content = figureContent(request);
    if (!content) return content.error();
    const QSizeF units = figureSize(*content, request.widthPixels * kUnitsPerInch / request.dpi);
    if (suffix == "png") return writePng(request, *content, units);
    return suffix == "svg" ? writeSvg(request, *content, units)
                           : writePdf(request, *content, units);
  });
}

Result<FigureRequest> captureComparison(const Document& left, const Document& right,
                                        bool difference) {
  auto request = captureFigure(right, FigureKind::Comparison);
  if (!request) return request;
  const auto leftMap = left.inputs().hasModel() ? comparedMap(left, right) : std::nullopt;
  const auto rightMap = comparedMap(right, left);
  if (!leftMap || !rightMap)
    return refusal(QObject::tr(
        "a side shows no map yet, so there is nothing to compare; try again in a moment"));
  const auto found = subtractMaps(*leftMap, *rightMap);
  std::optional<MapDifference> change;
  if (difference && found) change = *found;
  request->sides = {sidePanel(left, QObject::tr("left"), *leftMap),
                    sidePanel(right, QObject::tr("right"), *rightMap)};
  if (change)
    request->sides.push_back(
        sidePanel(right, QObject::tr("right − left"), differenceMap(*change, *rightMap)));
  request->caption = comparisonLegend(
      left, right, change, {rightMap->rows, rightMap->cols, right.inputs().model().grid.prefix});
  return request;
}

QString exportFigure(Result<FigureRequest> request, const QString& path, const QByteArray& session,
                     int widthPixels, int dpi) {
  if (!request) return QString::fromStdString(request.error().text());
  request->path = path;
  request->session = session;
  request->widthPixels = widthPixels;
  request->dpi = dpi;
  const auto written = writeFigure(*request);
  return written ? QString() : QString::fromStdString(written.error().text());
}

}  // namespace headlight
