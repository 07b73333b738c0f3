// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/EvolutionFilm.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/workbench/figures/Films.h"
#include "ui/base/Images.h"
#include "ui/bridge/RecordedImages.h"
#include "ui/canvas/ViewedMap.h"

namespace headlight {
namespace {

/// A private document in the drawing thread that shows one recorded step after another.
class Projector {
 public:
  explicit Projector(const FilmRequest& request) : m_request(request) {
    valueOrThrow(m_images.open(request.run.toStdString(), request.model));
    m_document.setModel(request.model);
    m_document.view().set(request.view);
  }

  std::vector<std::int64_t> steps() const { return m_images.steps(); }
  const Document& at(std::int64_t step) {
    const auto view = valueOrThrow(m_images.at(step, m_request.image));
    if (!m_document.inputs().hasImage()) m_document.setImage(*view->image, view->imageName, {});
    m_document.recorded().setView(view);
    return m_document;
  }
  /// The document at the step shown, with this head chosen.
  const Document& withHead(int head) {
    ViewOptions view = m_request.view;
    view.head = head;
    m_document.view().set(view);
    return m_document;
  }

 private:
  const FilmRequest& m_request;
  RecordedImages m_images;
  Document m_document;
};

std::vector<std::int64_t> spread(const std::vector<std::int64_t>& steps, int most) {
  const auto count = std::min(steps.size(), static_cast<std::size_t>(std::max(most, 1)));
  std::vector<std::int64_t> chosen;
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(steps[count == 1 ? steps.size() - 1 : i * (steps.size() - 1) / (count - 1)]);
  return chosen;
}

/// Calls `draw` for every step and reports progress.
template <typename Draw>
void forEach(const std::vector<std::int64_t>& steps, const ProgressCallback& progress,
             const std::stop_token& stop, const Draw& draw) {
  RemainingTime remaining;
  const auto total = static_cast<std::int64_t>(steps.size());
  for (std::int64_t i = 0; i < total; ++i) {
    if (stop.stop_requested()) throw Failure({ErrorCode::Canceled, "canceled", ""});
    draw(steps[static_cast<std::size_t>(i)], i);
    if (progress) progress({"drawing", i + 1, total, remaining.secondsRemaining(i + 1, total)});
  }
}

QImage filmFrame(const FilmRequest& request, const Document& document) {
  FigureRequest figure = valueOrThrow(captureFigure(document, request.figure));
  figure.widthPixels = request.widthPixels;
  figure.dpi = request.dpi;
  return valueOrThrow(figureImage(figure));
}

/// GIF, AVI, MP4 or a folder of PNG, by the path's ending.
void writeFrames(const FilmRequest& request, Projector& projector,
                 const std::vector<std::int64_t>& steps, const ProgressCallback& progress,
                 const std::stop_token& stop) {
  const auto film = valueOrThrow(FilmFile::create(request.path.toStdString(), request.seconds));
  forEach(steps, progress, stop, [&](std::int64_t step, std::int64_t) {
    valueOrThrow(film->add(fromQImage(filmFrame(request, projector.at(step)))));
  });
  valueOrThrow(film->finish());
}

/// Maps of all steps on one scale, so that they can be compared.
void shareScale(std::vector<FigurePanel>& panels, bool isSigned, const ViewOptions& view) {
  std::vector<float> all;
  for (const FigurePanel& panel : panels)
    all.insert(all.end(), panel.map.values.begin(), panel.map.values.end());
  const DrawnMap shared = drawnIn(view, all, isSigned);
  for (FigurePanel& panel : panels)
    panel.map.setDrawn(drawnOn(shared, panel.map.values));
}

/// With several heads, each title names its head.
QString titleOf(const std::vector<int>& heads, std::size_t row, std::int64_t step) {
  QString when = QObject::tr("step %1").arg(step);
  if (heads.size() == 1) return when;
  return (heads[row] < 0 ? QObject::tr("mean") : QObject::tr("head %1").arg(heads[row])) +
         QStringLiteral(" · ") + when;
}

void writeStrip(const FilmRequest& request, Projector& projector,
                const std::vector<std::int64_t>& steps, const ProgressCallback& progress,
                const std::stop_token& stop) {
  std::vector<int> heads = request.heads;
  if (heads.empty()) heads.push_back(request.view.head);
  std::vector<std::vector<FigurePanel>> rows(heads.size());
  std::optional<FigureRequest> figure;
  forEach(steps, progress, stop, [&](std::int64_t step, std::int64_t) {
    const Document& document = projector.at(step);
    if (!figure) figure = valueOrThrow(captureFigure(document, FigureKind::Canvas));
    for (std::size_t row = 0; row < heads.size(); ++row)
      if (auto panel = canvasPanel(projector.withHead(heads[row]), titleOf(heads, row, step)))
        rows[row].push_back(std::move(*panel));
  });
  std::vector<FigurePanel> panels;
  for (std::vector<FigurePanel>& row : rows)
    panels.insert(panels.end(), std::make_move_iterator(row.begin()),
                  std::make_move_iterator(row.end()));
  if (panels.empty())
    throw Failure({ErrorCode::InvalidArgument,
                   QObject::tr("the run recorded no map of this layer and token; choose another")
                       .toStdString(),
                   request.run.toStdString()});
  const ViewOptions& view = request.view;
  if (view.stepScale)
    shareScale(panels, figure->inference->maps.isSigned && view.learned.empty(), view);
  figure->kind = FigureKind::Comparison;
  figure->caption.detail = view.stepScale ? QObject::tr("all steps on one scale")
                                          : QObject::tr("each step on its own scale");
  QString source = figure->recorded->source;
  source[0] = source[0].toUpper();
  figure->caption.note.replace(source, QObject::tr("As recorded"));
  figure->sidesInARow = rows.front().size();
  figure->sides = std::move(panels);
  figure->widthPixels = request.widthPixels;
  figure->dpi = request.dpi;
  figure->path = request.path;
  valueOrThrow(writeFigure(*figure));
}

}  // namespace

Result<std::vector<int>> filmHeads(const QString& text, int heads) {
  std::vector<int> chosen;
  if (text.trimmed() == QStringLiteral("all")) {
    for (int head = 0; head < heads; ++head)
      chosen.push_back(head);
    return chosen;
  }
  for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    const QString word = part.trimmed();
    if (word.isEmpty()) continue;
    bool isNumber = false;
    const bool mean = word == QStringLiteral("mean");
    const int head = mean ? -1 : word.toInt(&isNumber);
    if (!mean && (!isNumber || head < 0 || head >= heads))
      return Error{ErrorCode::InvalidArgument,
                   QObject::tr("is not a head of this layer; use 0 to %1, mean, or all")
                       .arg(heads - 1)
                       .toStdString(),
                   word.toStdString()};
    chosen.push_back(head);
  }
  return chosen;
}

Result<int> writeFilm(const FilmRequest& request, const ProgressCallback& progress,
                      const std::stop_token& stop) {
  return guarded(request.path.toStdString(), [&] {
    Projector projector(request);
    std::vector<std::int64_t> steps = projector.steps();
    if (request.kind == FilmKind::Strip) steps = spread(steps, request.steps);
    if (steps.empty())
      throw Failure({ErrorCode::NotFound, QObject::tr("contains no recorded step").toStdString(),
                     request.run.toStdString()});
    const auto write = request.kind == FilmKind::Strip ? writeStrip : writeFrames;
    write(request, projector, steps, progress, stop);
    return static_cast<int>(steps.size());
  });
}

}  // namespace headlight
