// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/CompletionPage.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <utility>

#include "core/workbench/sequences/SequencePictures.h"
#include "core/workbench/session/Pictures.h"
#include "core/workbench/session/Video.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/Images.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/canvas/PictureTiles.h"
#include "ui/document/Document.h"
#include "ui/forms/ParameterForm.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {

CompletionPage::CompletionPage(SequenceBridge* bridge, Document* document, QWidget* parent)
    : QWidget(parent),
      m_bridge(bridge),
      m_document(document),
      m_reader(new BackgroundTask(this)),
      m_writer(new BackgroundTask(this)) {
  setObjectName(QStringLiteral("completionPage"));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(10);
  layout->addWidget(makeControls());
  m_tiles = new PictureTiles(this);
  m_tiles->setObjectName(QStringLiteral("completionTiles"));
  layout->addWidget(m_tiles, 1);
  connectBridge();
  connect(m_reader, &BackgroundTask::busyChanged, this, &CompletionPage::refreshControls);
  refreshControls();
}

void CompletionPage::connectBridge() {
  using Job = SequenceBridge::Job;
  connect(m_bridge, &SequenceBridge::modelChanged, this, &CompletionPage::onModelChanged);
  connect(m_bridge, &SequenceBridge::openFailed, this, [this] {
    // A picture that was chosen while the other model was being opened.
    if (hasModel() && m_view.empty() && !m_picture.empty()) m_bridge->view(m_picture);
  });
  connect(m_bridge, &SequenceBridge::jobChanged, this, &CompletionPage::onJobChanged);
  connect(m_bridge, &SequenceBridge::progressed, this, [this](const Progress& progress) {
    if (m_bridge->job() == Job::Completing) m_progress->setProgress(progress);
  });
  connect(m_bridge, &SequenceBridge::failed, this, [this](Job job, const QString& text) {
    if (job == Job::Completing || job == Job::Viewing)
      m_message->setMessage(text, MessageLabel::Tone::Problem);
  });
  connect(m_bridge, &SequenceBridge::canceled, this, [this](Job job) {
    if (job == Job::Completing || job == Job::Viewing) m_message->setMessage(tr("Cancelled."));
  });
  connect(m_bridge, &SequenceBridge::viewed, this, [this](const Image& view) {
    m_view = view;
    showTiles();
    refreshControls();
  });
  connect(m_bridge, &SequenceBridge::completed, this, &CompletionPage::onCompleted);
}

// --- The picture -------------------------------------------------------------------------------

bool CompletionPage::hasModel() const {
  return m_bridge->model() && m_bridge->model()->experiment.ofPictures();
}

void CompletionPage::onModelChanged() {
  m_view = {};
  m_completed.reset();
  m_message->clear();
  showTiles();
  refreshControls();
  if (!hasModel()) return;
  if (m_picture.empty())
    takePictureOfWindow();
  else
    m_bridge->view(m_picture);
}

void CompletionPage::takePictureOfWindow() {
  if (m_document->hasImage()) setPicture(m_document->image(), m_document->imageName());
}

void CompletionPage::say(const QString& text, MessageLabel::Tone tone) {
  if (hasModel())
    m_message->setMessage(text, tone);
  else
    Q_EMIT saidUnseen(text, tone);
}

void CompletionPage::setPicture(const Image& picture, const QString& name) {
  if (hasModel() && m_bridge->isWorking()) {
    m_refused = true;
    return say(tr("Cancel what goes on first."), MessageLabel::Tone::Problem);
  }
  m_picture = picture;
  m_pictureName = name;
  m_view = {};
  m_completed.reset();
  m_message->clear();
  showTiles();
  refreshControls();
  Q_EMIT pictureChanged();
  const bool opening = m_bridge->job() == SequenceBridge::Job::Opening;
  if (hasModel() && !opening) m_bridge->view(picture);  // else once the model is there
  if (!hasModel() && !opening)
    say(tr("The picture waits: open a model of pictures to complete it."),
        MessageLabel::Tone::Plain);
}

void CompletionPage::openPicture(const QString& path) {
  m_reader->run<Result<Image>>(
      [path = path.toStdString()](std::stop_token) {
        return guarded(path, [&] { return readPictureOrFrame(path); });
      },
      [this, path](const Result<Image>& picture) {
        if (picture) return setPicture(*picture, QFileInfo(path).fileName());
        say(tr("The picture was not opened. %1")
                .arg(QString::fromStdString(picture.error().text())),
            MessageLabel::Tone::Problem);
      });
}

// --- Completing --------------------------------------------------------------------------------

std::optional<CompletionSettings> CompletionPage::settings() const {
  CompletionSettings settings;
  if (!m_form->isValid() ||
      !readParameters(completionParameters(), m_form->values(), &settings, "completion"))
    return std::nullopt;
  return settings;
}

void CompletionPage::complete() {
  const auto wanted = settings();
  if (!wanted || m_picture.empty() || m_bridge->isBusy()) return;
  m_message->clear();
  m_bridge->complete(m_picture, *wanted);
}

void CompletionPage::onCompleted(const std::shared_ptr<const CompletedPicture>& picture) {
  m_view = picture->view;
  m_completed = picture;
  m_message->setMessage(tr("Drawn at temperature %1, seed %2.")
                            .arg(QString::number(picture->settings.temperature),
                                 QString::number(picture->settings.seed)));
  showTiles();
  refreshControls();
}

void CompletionPage::onJobChanged() {
  if (std::exchange(m_refused, false)) m_message->clear();
  if (m_bridge->job() == SequenceBridge::Job::Completing)
    m_progress->setBusy();
  else
    m_progress->clear();
  refreshControls();
}

void CompletionPage::showTiles() {
  QList<PictureTiles::Tile> tiles;
  // While a field is wrong, what was right last stays.
  if (const auto wanted = settings()) m_keptFraction = wanted->keptFraction;
  if (!m_view.empty()) {
    const int kept = keptRows(m_view.height, m_keptFraction);
    tiles << PictureTiles::Tile{toQImage(m_view), tr("original")};
    tiles << PictureTiles::Tile{toQImage(greyBelow(m_view, kept)), tr("what stays")};
    // Where less or more is to stay now, they come back with the number that they were drawn for.
    if (m_completed && m_completed->kept == kept)
      for (std::size_t i = 0; i < m_completed->samples.size(); ++i)
        tiles << PictureTiles::Tile{toQImage(m_completed->samples[i]),
                                    tr("completion %1").arg(i + 1)};
  }
  m_tiles->setTiles(tiles);
}

void CompletionPage::refreshControls() {
  const bool busy = m_bridge->isBusy();
  const QString name = m_picture.empty() ? tr("No picture yet") : m_pictureName;
  m_name->setText(m_name->fontMetrics().elidedText(name, Qt::ElideMiddle, kFormWidth));
  m_name->setToolTip(plainToolTip(m_pictureName));
  const bool reading = m_reader->isBusy() || (!m_picture.empty() && busy);
  m_tiles->setHint(reading ? tr("Reading the picture…")
                           : tr("Choose a picture: the model draws its lower part anew."));
  m_choose->setEnabled(!busy);
  m_ofWindow->setEnabled(!busy && m_document->hasImage());
  m_complete->setEnabled(!busy && !m_view.empty() && settings().has_value());
  m_cancel->setEnabled(m_bridge->job() == SequenceBridge::Job::Completing);
  m_save->setEnabled(m_tiles->tiles().size() > 2);
}

}  // namespace headlight
