// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/FigureCommands.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QWidget>

#include "ui/attribution/ExplanationView.h"
#include "ui/base/Actions.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/EvolutionBridge.h"
#include "ui/compare/CompareView.h"
#include "ui/document/Folders.h"
#include "ui/document/ModelText.h"
#include "ui/document/Session.h"
#include "ui/figures/ExplanationFigure.h"
#include "ui/figures/FigureDialog.h"
#include "ui/figures/FigureExport.h"
#include "ui/figures/FilmDialog.h"
#include "ui/figures/HeadFigureDialog.h"
#include "ui/widgets/Dialogs.h"
#include "ui/window/FigurePageCommand.h"
#include "ui/workspace/ImageTabs.h"
#include "ui/workspace/Workspaces.h"

namespace headlight {
namespace {

FigureKind shownFigureKind(const ImageTabs& tabs) {
  const QString page = tabs.page();
  if (page == QStringLiteral("heads")) return FigureKind::Heads;
  if (page == QStringLiteral("rollout")) return FigureKind::Rollout;
  if (page != QStringLiteral("compare")) return FigureKind::Canvas;
  return tabs.compare()->page() == CompareView::Page::Sides ? FigureKind::Comparison
                                                            : FigureKind::Similarity;
}

}  // namespace

FigureCommands::FigureCommands(Document* document, ImageTabs* tabs, const Workspaces* workspaces,
                               QWidget* window)
    : QObject(window),
      m_document(document),
      m_tabs(tabs),
      m_workspaces(workspaces),
      m_window(window),
      m_writer(new BackgroundTask(this)) {
  m_export =
      makeCommand(this,
                  {"file.exportFigure", tr("Export f&igure…"),
                   tr("Save what the tab shows as PNG, SVG or PDF; a PNG contains the session"),
                   "Ctrl+E", "image"},
                  [this] { choose(); });
  m_copy = makeCommand(this,
                       {"edit.copyImage",
                        tr("&Copy image"),
                        tr("Copy what the tab shows to the clipboard"),
                        "Ctrl+Shift+C",
                        {}},
                       [this] { copyImage(); });
  m_film =
      makeCommand(this,
                  {"train.saveFilm", tr("Save the evol&ution…"),
                   tr("Save a film or a strip of what the tab shows, at every step that the run "
                      "recorded"),
                   "Ctrl+H, F", "image"},
                  [this] { saveFilm(); });
  m_heads = makeCommand(
      this,
      {"view.headsByDepth", tr("Heads by &depth…"),
       tr("Show the head metric as a figure: every head by its layer, with deviations and chance"),
       "Ctrl+Alt+H", "image"},
      [this] { showHeads(); });
  connect(document, &Document::inferenceChanged, this, &FigureCommands::refresh);
  for (const auto signal : {&InferenceInputs::modelChanged, &InferenceInputs::imageChanged})
    connect(&document->inputs(), signal, this, &FigureCommands::refresh);
  refresh();
}

void FigureCommands::refresh() {
  const bool image = m_document->inputs().hasModel() && m_document->inputs().hasImage();
  m_export->setEnabled(image);
  m_copy->setEnabled(image);
  m_heads->setEnabled(image && (m_document->inference() || m_document->numbers().heads().values));
  m_film->setEnabled(m_document->inputs().hasModel() && m_evolution &&
                     !m_evolution->run().isEmpty());
}

void FigureCommands::setEvolution(const EvolutionBridge* evolution) {
  m_evolution = evolution;
  connect(evolution, &EvolutionBridge::changed, this, &FigureCommands::refresh);
  refresh();
}

void FigureCommands::saveFilm() {
  FilmRequest request;
  request.run = m_evolution->run();
  request.image = m_evolution->image();
  request.figure = shownFigureKind(*m_tabs);
  request.model = m_document->inputs().model();
  request.view = m_document->view().steady();
  auto* dialog = new FilmDialog(request, m_window);
  connect(dialog, &FilmDialog::saved, this, [this](const QString& path) {
    Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
  });
  dialogs().beside(dialog);
}

void FigureCommands::showHeads() {
  const HeadNumbers& numbers = m_document->numbers().heads();
  const HeadMeasureInfo& info = findInfo(numbers.measure);
  Result<HeadValues> values = Error{ErrorCode::NotFound, "is not measured yet", info.title};
  if (numbers.values)
    values = *numbers.values;
  else if (m_document->inference())
    values =
        computeHeadValues(*m_document->inference(), m_document->inputs().model(), numbers.measure);
  if (!values) {
    Q_EMIT failed(tr("There are no numbers to draw"),
                  QString::fromStdString(values.error().text()));
    return;
  }
  const QString whose = values->images > 1 ? tr("%1 images of the dataset").arg(values->images)
                                           : displayName(m_document->inputs().imageName());
  const QString model = modelTitle(m_document->inputs().model());
  dialogs().show(new HeadFigureDialog(
                     *values, tr("%1 · %2 · %3").arg(coreText(info.title), model, whose), m_window),
                 {});
}

Result<FigureRequest> FigureCommands::capture() const {
  if (m_tabs->page() == QStringLiteral("explain"))
    return captureExplanation(*m_document, *m_tabs->explanations());
  const FigureKind kind = shownFigureKind(*m_tabs);
  if (kind != FigureKind::Comparison) return captureFigure(*m_document, kind);
  const CompareSides& sides = *m_tabs->compare()->sides();
  if (sides.comparison().otherExplanation) return captureComparedExplanations(sides);
  return captureComparison(sides.left(), sides.right(), sides.comparison().difference);
}

void FigureCommands::choose() {
  auto captured = capture();
  if (!captured) {
    Q_EMIT failed(tr("There is nothing to export"),
                  QString::fromStdString(captured.error().text()));
    return;
  }
  if (m_width > 0) {
    captured->widthPixels = m_width;
    captured->dpi = m_dpi;
  }
  captured->session = sessionNow();
  auto* dialog = new FigureDialog(*captured, m_window);
  dialogs().show(dialog, [this, dialog](int result) {
    if (result != QDialog::Accepted) return;
    const FigureRequest request = dialog->request();
    m_width = request.widthPixels;
    m_dpi = request.dpi;
    choosePath(request);
  });
}

QByteArray FigureCommands::sessionNow() const {
  Session session = recordSession(*m_document);
  session.comparison = m_tabs->compare()->sides()->comparison();
  session.workspace = workspaceName(m_workspaces->current());
  session.arrangements = m_workspaces->page();
  return sessionToText(session);
}

QAction* FigureCommands::makePages(ModelWorker* inference, GalleryDock* gallery,
                                   const QString& file) {
  auto* page = new FigurePageCommand(
      {m_document, inference, gallery, [this] { return sessionNow(); }, file}, m_window);
  return page->action();
}

void FigureCommands::choosePath(const FigureRequest& request) {
  askWhereToSave(m_window, tr("Export figure"),
                 QDir(figureFolder())
                     .filePath(QFileInfo(m_document->inputs().imageName()).completeBaseName() +
                               QLatin1Char('-') + m_tabs->page() + QStringLiteral(".png")),
                 tr("PNG, with the session (*.png);;SVG (*.svg);;PDF (*.pdf)"),
                 [this, request = request](const QString& path) mutable {
                   request.path = path;
                   write(request);
                 });
}

void FigureCommands::write(const FigureRequest& request) {
  Q_EMIT activityChanged(tr("Drawing %1…").arg(QFileInfo(request.path).fileName()));
  m_writer->run<Result<void>>(
      [request](std::stop_token) { return writeFigure(request); },
      [this, path = request.path](Result<void> written) {
        Q_EMIT activityChanged({});
        rememberWritten(path);
        if (written)
          Q_EMIT m_document->message(tr("Saved %1").arg(QDir::toNativeSeparators(path)));
        else
          Q_EMIT failed(tr("The figure was not saved"),
                        QString::fromStdString(written.error().text()));
      });
}

void FigureCommands::copyImage() {
  QApplication::clipboard()->setPixmap(m_tabs->currentWidget()->grab());
  Q_EMIT m_document->message(tr("Copied"));
}

}  // namespace headlight
