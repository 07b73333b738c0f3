// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/VideoFilmDialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

#include "core/base/files/Files.h"
#include "ui/document/Folders.h"
#include "ui/figures/FilmChoices.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/ProgressTask.h"
#include "ui/widgets/Questions.h"

namespace headlight {
namespace {

constexpr int kStatusLines = 3;  ///< with the path of what was saved

/// The table comes last.
QList<FilmChoice> videoChoices() {
  return filmChoices() << FilmChoice{VideoFilmDialog::tr("the predictions (a table, CSV)"), ".csv",
                                     "CSV (*.csv)"};
}

/// Blocks. Returns the number of frames.
Result<int> writeVideoOutput(const VideoFilmRequest& request, const VideoFilmOptions& options,
                             bool table, double seconds, const std::string& path,
                             const ProgressCallback& progress, const std::stop_token& stop) {
  return guarded(path, [&] {
    const auto session = request.session();
    if (!session) throw Failure({ErrorCode::Canceled, "no model is open", ""});
    const auto video = valueOrThrow(VideoReader::open(request.file.toStdString()));
    const auto film =
        table ? nullptr : valueOrThrow(FilmFile::create(std::filesystem::path(path), seconds));
    const auto frames = valueOrThrow(
        filmVideo(*session, request.masks, *video, options, film.get(), progress, stop));
    if (film) return valueOrThrow(film->finish());
    valueOrThrow(writeFileAtomically(path, filmedTable(frames)));
    return static_cast<int>(frames.size());
  });
}

}  // namespace

VideoFilmDialog::VideoFilmDialog(const VideoFilmRequest& request, QWidget* parent)
    : QDialog(parent),
      m_request(request),
      m_kind(new QComboBox(this)),
      m_shows(new QComboBox(this)),
      m_from(new QSpinBox(this)),
      m_to(new QSpinBox(this)),
      m_every(new QSpinBox(this)),
      m_width(new QSpinBox(this)),
      m_seconds(new QDoubleSpinBox(this)),
      m_oneScale(new QCheckBox(tr("&One scale for all frames"), this)),
      m_progress(new ProgressLine(tr("Progress of the film"), this)),
      m_task(new ProgressTask(m_progress, this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("videoFilmDialog"));
  setWindowTitle(tr("Save the video's maps"));
  auto* form = new QFormLayout;
  makeFields(form);
  makeRange(form);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(form);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  layout->addStretch();
  m_status->setMinimumHeight(kStatusLines * fontMetrics().lineSpacing());  // keeps the dialog size
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_save = buttons->addButton(tr("Save As…"), QDialogButtonBox::ActionRole);
  m_save->setObjectName(QStringLiteral("saveVideoFilm"));
  m_save->setDefault(true);
  m_stop = buttons->addButton(tr("Stop"), QDialogButtonBox::ActionRole);
  m_stop->setObjectName(QStringLiteral("stopVideoFilm"));
  layout->addWidget(buttons);
  connect(m_save, &QPushButton::clicked, this, &VideoFilmDialog::choosePath);
  connect(m_stop, &QPushButton::clicked, this, [this] {
    m_task->cancel();
    m_status->setMessage(tr("Stopped; nothing was written."));
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_task, &ProgressTask::busyChanged, this, &VideoFilmDialog::refresh);
  refresh();
}

void VideoFilmDialog::makeFields(QFormLayout* form) {
  m_kind->setObjectName(QStringLiteral("videoFilmKind"));
  addChoices(m_kind, videoChoices());
  connect(m_kind, &QComboBox::currentIndexChanged, this, &VideoFilmDialog::refresh);
  form->addRow(tr("Forma&t"), m_kind);
  m_shows->setObjectName(QStringLiteral("videoFilmShows"));
  m_shows->addItems({tr("the map of the layer, head and token"), tr("the rollout")});
  m_shows->setCurrentIndex(m_request.rollout ? 1 : 0);
  m_shows->setToolTip(tr("Content of every frame, drawn as in the window"));
  form->addRow(tr("S&hows"), m_shows);
  m_width->setObjectName(QStringLiteral("videoFilmWidth"));
  m_width->setRange(32, 4000);
  m_width->setValue(VideoFilmOptions().width);
  m_width->setSuffix(tr(" pixels"));
  m_width->setToolTip(tr("Width of the model's input; captions are added around it"));
  form->addRow(tr("W&idth"), m_width);
}

void VideoFilmDialog::makeRange(QFormLayout* form) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  const std::int64_t frames = m_request.video.frames;
  const int last = static_cast<int>(frames > 0 ? std::min(frames - 1, kMost) : kMost);
  for (const auto& [box, name, text, value] :
       {std::tuple{m_from, "videoFilmFrom", tr("&From frame"), 0},
        std::tuple{m_to, "videoFilmTo", tr("To fra&me"), last}}) {
    box->setObjectName(QLatin1String(name));
    box->setRange(0, last);
    box->setValue(value);
    form->addRow(text, box);
  }
  m_every->setObjectName(QStringLiteral("videoFilmEvery"));
  m_every->setRange(1, 10'000);
  m_every->setToolTip(tr("1: all frames; 5: every fifth"));
  form->addRow(tr("&Every nth frame"), m_every);
  m_seconds->setObjectName(QStringLiteral("videoFilmSeconds"));
  m_seconds->setRange(0, 60);
  m_seconds->setDecimals(3);
  m_seconds->setSingleStep(0.05);
  m_seconds->setSuffix(tr(" s"));
  m_seconds->setSpecialValueText(tr("as in the video"));
  m_seconds->setToolTip(tr("Duration of each frame"));
  form->addRow(tr("Each f&rame"), m_seconds);
  m_oneScale->setObjectName(QStringLiteral("videoFilmOneScale"));
  m_oneScale->setToolTip(tr("Otherwise each frame has its own scale. This reads the video twice."));
  form->addRow({}, m_oneScale);
  for (QSpinBox* box : {m_from, m_to, m_every})
    connect(box, &QSpinBox::valueChanged, this, &VideoFilmDialog::refresh);
}

bool VideoFilmDialog::isTable() const {
  return m_kind->currentIndex() == m_kind->count() - 1;
}

bool VideoFilmDialog::isBusy() const {
  return m_task->isBusy();
}

double VideoFilmDialog::seconds() const {
  return m_seconds->value() > 0 ? m_seconds->value() : secondsAFrame(m_request.video, options());
}

VideoFilmOptions VideoFilmDialog::options() const {
  const ViewOptions& view = m_request.view;
  VideoFilmOptions options;
  options.showRollout = m_shows->currentIndex() == 1;
  options.layer = view.layer;
  options.head = view.head;
  options.query = view.query;
  options.rollout = view.rollout;
  options.style = view.style;
  options.dim = view.dim;
  options.opacity = view.opacity;
  options.colorMap = view.colorMap;
  options.smooth = view.smooth;
  options.oneScale = m_oneScale->isChecked();
  options.width = m_width->value();
  options.from = m_from->value();
  options.to = m_request.video.frames > 0 || m_to->value() < m_to->maximum() ? m_to->value() : -1;
  options.every = m_every->value();
  return options;
}

void VideoFilmDialog::refresh() {
  const bool idle = !isBusy(), film = !isTable();
  for (QWidget* field : {static_cast<QWidget*>(m_kind), static_cast<QWidget*>(m_from),
                         static_cast<QWidget*>(m_to), static_cast<QWidget*>(m_every)})
    field->setEnabled(idle);
  for (QWidget* field : {static_cast<QWidget*>(m_shows), static_cast<QWidget*>(m_width),
                         static_cast<QWidget*>(m_seconds), static_cast<QWidget*>(m_oneScale)})
    field->setEnabled(idle && film);
  const bool some = m_to->value() >= m_from->value();
  m_save->setEnabled(idle && some);
  m_stop->setEnabled(!idle);
  if (!idle) return;
  if (!some)
    m_status->setMessage(tr("The last frame is before the first. Choose a later last frame."),
                         MessageLabel::Tone::Problem);
  else if (const std::int64_t frames = chosenFrames(m_request.video, options()); frames > 0)
    m_status->setMessage(frames == 1 ? tr("1 frame") : tr("%1 frames").arg(frames));
}

void VideoFilmDialog::reject() {
  if (!isBusy()) return QDialog::reject();
  askToStop(this, tr("Stop the film?"), tr("An unfinished film is not kept."),
            [this] { m_task->cancel(); });
}

void VideoFilmDialog::choosePath() {
  const FilmChoice chosen = videoChoices()[m_kind->currentIndex()];
  const QString name = QFileInfo(m_request.file).completeBaseName() + QStringLiteral("-attention");
  askWhereToSave(this, windowTitle(), QDir(figureFolder()).filePath(name + chosen.ending),
                 chosen.filter, [this](const QString& path) { write(path); });
}

void VideoFilmDialog::write(const QString& path) {
  m_status->setMessage(tr("Running the model on the frames…"));
  m_task->run<Result<int>>(
      [request = m_request, options = options(), table = isTable(), seconds = seconds(),
       path = path.toStdString()](const ProgressCallback& progress, std::stop_token stop) {
        return writeVideoOutput(request, options, table, seconds, path, progress, stop);
      },
      [this, path](const Result<int>& frames) { finish(path, frames); });
}

void VideoFilmDialog::finish(const QString& path, const Result<int>& frames) {
  withdrawQuestions(this);
  if (!frames)
    return m_status->setMessage(QString::fromStdString(frames.error().text()),
                                MessageLabel::Tone::Problem);
  m_status->setMessage(tr("Saved %1; frames: %2").arg(QDir::toNativeSeparators(path)).arg(*frames));
  rememberWritten(path);
  Q_EMIT saved(path);
}

}  // namespace headlight
