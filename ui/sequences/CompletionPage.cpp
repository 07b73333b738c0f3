// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/CompletionPage.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QPushButton>

#include <utility>

#include "core/workbench/loading/Input.h"
#include "core/workbench/sequences/SequenceImages.h"
#include "core/workbench/session/Images.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/Images.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/canvas/ImageTiles.h"
#include "ui/document/Document.h"
#include "ui/forms/ParameterForm.h"
#include "ui/sequences/CompletionFiles.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {

CompletionPage::CompletionPage(SequenceBridge* bridge, Document* document, QWidget* parent)
    : QWidget(parent),
      m_bridge(bridge),
      m_document(document),
      m_reader(new BackgroundTask(this)),
      m_writer(new BackgroundTask(this)),
      m_parts(makeCompletionParts(this)),
      m_tiles(new ImageTiles(this)) {
  setObjectName(QStringLiteral("completionPage"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(10);
  layout->addWidget(m_parts.column);
  m_tiles->setObjectName(QStringLiteral("completionTiles"));
  layout->addWidget(m_tiles, 1);
  connectParts();
  connectBridge();
  connect(m_reader, &BackgroundTask::busyChanged, this, &CompletionPage::refreshControls);
  refreshControls();
}

void CompletionPage::connectParts() {
  connect(m_parts.form, &ParameterForm::changed, this, [this] {
    showTiles();
    refreshControls();
  });
  connect(m_parts.choose, &QPushButton::clicked, this, &CompletionPage::chooseImage);
  connect(m_parts.ofWindow, &QPushButton::clicked, this, &CompletionPage::takeImageOfWindow);
  connect(&m_document->inputs(), &InferenceInputs::imageChanged, this,
          &CompletionPage::refreshControls);
  connect(m_parts.complete, &QPushButton::clicked, this, &CompletionPage::complete);
  connect(m_parts.cancel, &QPushButton::clicked, m_bridge, &SequenceBridge::cancel);
  connect(m_parts.save, &QPushButton::clicked, this, &CompletionPage::choosePng);
}

void CompletionPage::connectBridge() {
  using Job = SequenceBridge::Job;
  connect(m_bridge, &SequenceBridge::modelChanged, this, &CompletionPage::onModelChanged);
  connect(m_bridge, &SequenceBridge::openFailed, this, [this] {
    // The image was chosen while another model was being opened.
    if (hasModel() && m_view.empty() && !m_image.empty()) m_bridge->view(m_image);
  });
  connect(m_bridge, &SequenceBridge::jobChanged, this, &CompletionPage::onJobChanged);
  connect(m_bridge, &SequenceBridge::progressed, this, [this](const Progress& progress) {
    if (m_bridge->job() == Job::Completing) m_parts.progress->setProgress(progress);
  });
  connect(m_bridge, &SequenceBridge::failed, this, [this](Job job, const QString& text) {
    if (job == Job::Completing || job == Job::Viewing)
      m_parts.message->setMessage(text, MessageLabel::Tone::Problem);
  });
  connect(m_bridge, &SequenceBridge::canceled, this, [this](Job job) {
    if (job == Job::Completing || job == Job::Viewing) m_parts.message->setMessage(tr("Canceled."));
  });
  connect(m_bridge, &SequenceBridge::viewed, this, [this](const Image& view) {
    m_view = view;
    showTiles();
    refreshControls();
  });
  connect(m_bridge, &SequenceBridge::completed, this, &CompletionPage::onCompleted);
}

// --- The image -------------------------------------------------------------------------------

bool CompletionPage::hasModel() const {
  return m_bridge->model() && m_bridge->model()->experiment.ofImages();
}

void CompletionPage::onModelChanged() {
  m_view = {};
  m_completed.reset();
  m_parts.message->clear();
  showTiles();
  refreshControls();
  if (!hasModel()) return;
  if (m_image.empty())
    takeImageOfWindow();
  else
    m_bridge->view(m_image);
}

void CompletionPage::takeImageOfWindow() {
  if (m_document->inputs().hasImage())
    setImage(m_document->inputs().image(), m_document->inputs().imageName());
}

void CompletionPage::say(const QString& text, MessageLabel::Tone tone) {
  if (hasModel())
    m_parts.message->setMessage(text, tone);
  else
    Q_EMIT saidUnseen(text, tone);
}

void CompletionPage::setImage(const Image& image, const QString& name) {
  if (hasModel() && m_bridge->isWorking()) {
    m_refused = true;
    return say(tr("The model is busy. Cancel its current job first."), MessageLabel::Tone::Problem);
  }
  m_image = image;
  m_imageName = name;
  m_view = {};
  m_completed.reset();
  m_parts.message->clear();
  showTiles();
  refreshControls();
  Q_EMIT imageChanged();
  const bool opening = m_bridge->job() == SequenceBridge::Job::Opening;
  if (hasModel() && !opening) m_bridge->view(image);  // else when the model is open
  if (!hasModel() && !opening)
    say(tr("The image is loaded. Open an image model to complete it."), MessageLabel::Tone::Plain);
}

void CompletionPage::openImage(const QString& path) {
  m_reader->run<Result<Image>>(
      [path = path.toStdString()](std::stop_token) {
        return guarded(path, [&] { return readImageAt(path); });
      },
      [this, path](const Result<Image>& image) {
        if (image) return setImage(*image, QFileInfo(path).fileName());
        say(tr("The image was not opened. %1").arg(QString::fromStdString(image.error().text())),
            MessageLabel::Tone::Problem);
      });
}

void CompletionPage::chooseImage() {
  askForImageToComplete(this, [this](const QString& path) { openImage(path); });
}

// --- Completing --------------------------------------------------------------------------------

std::optional<CompletionSettings> CompletionPage::settings() const {
  CompletionSettings settings;
  if (!m_parts.form->isValid() ||
      !readParameters(completionParameters(), m_parts.form->values(), &settings, "completion"))
    return std::nullopt;
  return settings;
}

void CompletionPage::complete() {
  const auto wanted = settings();
  if (!wanted || m_image.empty() || m_bridge->isBusy()) return;
  m_parts.message->clear();
  m_bridge->complete(m_image, *wanted);
}

void CompletionPage::onCompleted(const std::shared_ptr<const CompletedImage>& image) {
  m_view = image->view;
  m_completed = image;
  m_parts.message->setMessage(tr("Sampled at temperature %1, seed %2.")
                                  .arg(QString::number(image->settings.temperature),
                                       QString::number(image->settings.seed)));
  showTiles();
  refreshControls();
}

void CompletionPage::choosePng() {
  if (!m_completed) return;
  // Saves the completions of this moment: a model that is opened meanwhile drops them.
  askWhereToSaveCompletion(this, m_imageName, [this, image = m_completed](const QString& path) {
    savePng(path, image);
  });
}

void CompletionPage::savePng(const QString& path,
                             const std::shared_ptr<const CompletedImage>& image) {
  m_writer->run<Result<void>>(
      [path = path.toStdString(), image](std::stop_token) { return writeCompletion(*image, path); },
      [this, path](const Result<void>& written) { m_parts.message->reportSaved(path, written); });
}

void CompletionPage::onJobChanged() {
  if (std::exchange(m_refused, false)) m_parts.message->clear();
  if (m_bridge->job() == SequenceBridge::Job::Completing)
    m_parts.progress->setBusy();
  else
    m_parts.progress->clear();
  refreshControls();
}

void CompletionPage::showTiles() {
  QList<ImageTiles::Tile> tiles;
  // While a field is invalid, the last valid value stays.
  if (const auto wanted = settings()) m_keptFraction = wanted->keptFraction;
  if (!m_view.empty()) {
    const int kept = keptRows(m_view.height, m_keptFraction);
    tiles << ImageTiles::Tile{toQImage(m_view), tr("original")};
    tiles << ImageTiles::Tile{toQImage(grayBelow(m_view, kept)), tr("rows kept")};
    // Completions are shown only for the number of kept rows that they were drawn for.
    if (m_completed && m_completed->kept == kept)
      for (std::size_t i = 0; i < m_completed->samples.size(); ++i)
        tiles << ImageTiles::Tile{toQImage(m_completed->samples[i]),
                                  tr("completion %1").arg(i + 1)};
  }
  m_tiles->setTiles(tiles);
}

void CompletionPage::refreshControls() {
  const bool busy = m_bridge->isBusy();
  const QString name = m_image.empty() ? tr("No image yet") : m_imageName;
  m_parts.showName(name, plainToolTip(m_imageName));
  const bool reading = m_reader->isBusy() || (!m_image.empty() && busy);
  m_tiles->setHint(reading ? tr("Reading the image…")
                           : tr("Choose an image. The model redraws its lower part."));
  m_parts.choose->setEnabled(!busy);
  m_parts.ofWindow->setEnabled(!busy && m_document->inputs().hasImage());
  m_parts.complete->setEnabled(!busy && !m_view.empty() && settings().has_value());
  m_parts.cancel->setEnabled(m_bridge->job() == SequenceBridge::Job::Completing);
  m_parts.save->setEnabled(m_tiles->tiles().size() > 2);
}

}  // namespace headlight
