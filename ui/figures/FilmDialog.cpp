// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FilmDialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include "core/workbench/figures/Films.h"
#include "ui/document/Folders.h"
#include "ui/figures/FilmChoices.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/ProgressTask.h"
#include "ui/widgets/Questions.h"

namespace headlight {
namespace {

/// The strip comes last.
QList<FilmChoice> evolutionChoices() {
  return filmChoices() << FilmChoice{FilmDialog::tr("a strip (PNG, SVG or PDF)"), ".png",
                                     "PNG (*.png);;SVG (*.svg);;PDF (*.pdf)"};
}

constexpr int kMostFilmWidth = 4000, kMostStripSteps = 24;

}  // namespace

FilmDialog::FilmDialog(const FilmRequest& request, QWidget* parent)
    : QDialog(parent),
      m_request(request),
      m_kind(new QComboBox(this)),
      m_figure(new QComboBox(this)),
      m_width(new QSpinBox(this)),
      m_steps(new QSpinBox(this)),
      m_seconds(new QDoubleSpinBox(this)),
      m_heads(new QLineEdit(this)),
      m_oneScale(new QCheckBox(tr("&One scale for all steps"), this)),
      m_progress(new ProgressLine(tr("Progress of the film"), this)),
      m_task(new ProgressTask(m_progress, this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("filmDialog"));
  setWindowTitle(tr("Save the evolution"));
  auto* form = new QFormLayout(this);
  makeFields(form);
  form->addRow(m_progress);
  form->addRow(m_status);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_save = buttons->addButton(tr("Save As…"), QDialogButtonBox::ActionRole);
  m_save->setObjectName(QStringLiteral("saveFilm"));
  m_save->setDefault(true);
  m_stop = buttons->addButton(tr("Stop"), QDialogButtonBox::ActionRole);
  m_stop->setObjectName(QStringLiteral("stopFilm"));
  form->addRow(buttons);
  connect(m_save, &QPushButton::clicked, this, &FilmDialog::choosePath);
  connect(m_stop, &QPushButton::clicked, this, [this] {
    m_task->cancel();
    m_status->setMessage(tr("Stopped."));
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_task, &ProgressTask::busyChanged, this, &FilmDialog::refresh);
  connect(m_kind, &QComboBox::currentIndexChanged, this, &FilmDialog::refresh);
  connect(m_heads, &QLineEdit::textChanged, this, &FilmDialog::checkHeads);
  m_status->setMessage(tr("Uses the images that the run recorded at every measurement."));
  refresh();
}

void FilmDialog::makeFields(QFormLayout* form) {
  m_kind->setObjectName(QStringLiteral("filmKind"));
  addChoices(m_kind, evolutionChoices());
  m_kind->setToolTip(
      tr("A film shows one step after another. A strip shows several steps side by side on one "
         "scale, for the current layer, head and token"));
  form->addRow(tr("&Format"), m_kind);
  m_figure->setObjectName(QStringLiteral("filmFigure"));
  m_figure->addItems({tr("the image"), tr("all heads"), tr("the rollout")});
  m_figure->setCurrentIndex(m_request.figure == FigureKind::Heads     ? 1
                            : m_request.figure == FigureKind::Rollout ? 2
                                                                      : 0);
  m_figure->setToolTip(tr("Content of every frame of a film"));
  form->addRow(tr("S&hows"), m_figure);
  m_seconds->setObjectName(QStringLiteral("filmSeconds"));
  m_seconds->setRange(0.02, 60);
  m_seconds->setDecimals(2);
  m_seconds->setSingleStep(0.05);
  m_seconds->setSuffix(tr(" s"));
  m_seconds->setValue(m_request.seconds);
  m_seconds->setToolTip(tr("Duration of each step in a film"));
  form->addRow(tr("&Each step"), m_seconds);
  m_steps->setObjectName(QStringLiteral("stripSteps"));
  m_steps->setRange(2, kMostStripSteps);
  m_steps->setValue(m_request.steps);
  m_steps->setToolTip(tr("For a strip: number of steps, evenly spaced from the first to the last"));
  form->addRow(tr("S&teps"), m_steps);
  m_heads->setObjectName(QStringLiteral("stripHeads"));
  m_heads->setPlaceholderText(tr("the head shown"));
  m_heads->setToolTip(tr("For a strip: one row per head of the layer, such as 0, 2, mean; or all"));
  form->addRow(tr("&Heads"), m_heads);
  m_oneScale->setObjectName(QStringLiteral("filmOneScale"));
  m_oneScale->setChecked(m_request.view.stepScale);
  m_oneScale->setToolTip(
      tr("Brightness can be compared over time; otherwise each step has its own scale"));
  form->addRow(m_oneScale);
  m_width->setObjectName(QStringLiteral("filmWidth"));
  m_width->setRange(kLeastFigureWidth, kMostFilmWidth);
  m_width->setSuffix(tr(" pixels"));
  m_width->setValue(m_request.widthPixels);
  form->addRow(tr("W&idth"), m_width);
}

bool FilmDialog::isDrawing() const {
  return m_task->isBusy();
}

FilmRequest FilmDialog::request() const {
  constexpr FigureKind kFigures[] = {FigureKind::Canvas, FigureKind::Heads, FigureKind::Rollout};
  FilmRequest request = m_request;
  const bool strip = m_kind->currentIndex() == m_kind->count() - 1;
  request.kind = strip ? FilmKind::Strip : FilmKind::Film;
  request.figure = kFigures[m_figure->currentIndex()];
  request.seconds = m_seconds->value();
  request.steps = m_steps->value();
  request.widthPixels = m_width->value();
  request.view.stepScale = m_oneScale->isChecked();
  const auto heads = filmHeads(m_heads->text(), headsOfLayer());
  if (heads && strip) request.heads = *heads;
  return request;
}

int FilmDialog::headsOfLayer() const {
  const auto layer = static_cast<std::size_t>(m_request.view.layer);
  return layer < m_request.model.heads.size() ? m_request.model.heads[layer] : 0;
}

void FilmDialog::checkHeads() {
  const auto heads = filmHeads(m_heads->text(), headsOfLayer());
  if (heads)
    m_status->clear();
  else
    m_status->setMessage(QString::fromStdString(heads.error().text()), MessageLabel::Tone::Problem);
  refresh();
}

void FilmDialog::refresh() {
  const bool idle = !isDrawing();
  const bool strip = request().kind == FilmKind::Strip;
  for (QWidget* field : {static_cast<QWidget*>(m_kind), static_cast<QWidget*>(m_width)})
    field->setEnabled(idle);
  m_figure->setEnabled(idle && !strip);
  m_oneScale->setEnabled(idle);
  m_seconds->setEnabled(idle && !strip &&
                        m_kind->currentIndex() != static_cast<int>(FilmFormat::Images));
  m_steps->setEnabled(idle && strip);
  m_heads->setEnabled(idle && strip);
  m_save->setEnabled(idle && (!strip || filmHeads(m_heads->text(), headsOfLayer())));
  m_stop->setEnabled(!idle);
}

void FilmDialog::reject() {
  if (!isDrawing()) return QDialog::reject();
  askToStop(this, tr("Stop the film?"), tr("An unfinished film is not kept."),
            [this] { m_task->cancel(); });
}

void FilmDialog::choosePath() {
  const FilmChoice chosen = evolutionChoices()[m_kind->currentIndex()];
  askWhereToSave(this, windowTitle(),
                 QDir(figureFolder()).filePath(QStringLiteral("evolution") + chosen.ending),
                 chosen.filter, [this](const QString& path) { write(path); });
}

void FilmDialog::write(const QString& path) {
  FilmRequest request = this->request();
  request.path = path;
  m_status->setMessage(tr("Drawing…"));
  m_task->run<Result<int>>(
      [request](const ProgressCallback& progress, std::stop_token stop) {
        return writeFilm(request, progress, stop);
      },
      [this, path](const Result<int>& drawn) { finish(path, drawn); });
}

void FilmDialog::finish(const QString& path, const Result<int>& drawn) {
  withdrawQuestions(this);
  if (!drawn)
    return m_status->setMessage(QString::fromStdString(drawn.error().text()),
                                MessageLabel::Tone::Problem);
  m_status->setMessage(tr("Saved %1; steps: %2").arg(QDir::toNativeSeparators(path)).arg(*drawn));
  rememberWritten(path);
  Q_EMIT saved(path);
}

}  // namespace headlight
