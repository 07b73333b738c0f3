#include "ui/widgets/CompletionPage.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStandardPaths>
#include <QVBoxLayout>

#include <algorithm>

#include "core/base/Files.h"
#include "core/workbench/Pictures.h"
#include "ui/Icons.h"
#include "ui/bridge/BackgroundTask.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/models/Document.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ParameterForm.h"
#include "ui/widgets/PictureTiles.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

constexpr int kCompletionFormWidth = 300;
constexpr int kSavedSide = 256;  ///< pixels of a picture in a saved row, about

/// The row of pictures, large enough to be looked at.
Result<void> writeCompletion(const CompletedPicture& picture, const std::string& path) {
  return guarded(path, [&]() -> Result<void> {
    const int side = std::max({1, picture.view.width, picture.view.height});
    const int scale = std::clamp(kSavedSide / side, 1, 64);
    const auto bytes = encodePng(completionRow(picture.view, picture.kept, picture.samples, scale));
    if (!bytes) return bytes.error();
    return writeFileAtomically(path, *bytes);
  });
}

}  // namespace

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
  m_tiles->setHint(tr("Choose a picture: the model draws its lower part anew."));
  layout->addWidget(m_tiles, 1);
  connectBridge();
  refreshControls();
}

QWidget* CompletionPage::makeControls() {
  auto* column = new QWidget(this);
  column->setFixedWidth(kCompletionFormWidth);
  m_form = new ParameterForm(completionParameters(), QStringLiteral("completion"), column);
  m_form->setFilterVisible(false);
  connect(m_form, &ParameterForm::changed, this, [this] {
    showTiles();
    refreshControls();
  });
  m_progress = new ProgressLine(tr("Progress of the completion"), column);
  m_message = new MessageLabel(column);
  m_message->setObjectName(QStringLiteral("completionMessage"));
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(makePictureRow(column));
  layout->addWidget(m_form, 1);
  layout->addWidget(m_progress);
  layout->addWidget(m_message);
  layout->addWidget(makeButtonRow(column));
  return column;
}

QWidget* CompletionPage::makePictureRow(QWidget* parent) {
  auto* group = new QWidget(parent);
  m_name = new QLabel(group);
  m_name->setObjectName(QStringLiteral("completionPicture"));
  m_name->setTextFormat(Qt::PlainText);
  m_choose = new QPushButton(tr("Choose Pict&ure…"), group);
  m_choose->setObjectName(QStringLiteral("choosePicture"));
  m_choose->setToolTip(tr("A picture from a file; the model sees its centre square"));
  m_ofWindow = new QPushButton(tr("From the &Window"), group);
  m_ofWindow->setObjectName(QStringLiteral("pictureOfWindow"));
  m_ofWindow->setToolTip(tr("The picture that is open on the canvas of the main window"));
  connect(m_choose, &QPushButton::clicked, this, &CompletionPage::choosePicture);
  connect(m_ofWindow, &QPushButton::clicked, this, &CompletionPage::takePictureOfWindow);
  connect(m_document, &Document::imageChanged, this, &CompletionPage::refreshControls);
  auto* layout = new QVBoxLayout(group);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* row = new QHBoxLayout;
  row->addWidget(m_choose);
  row->addWidget(m_ofWindow);
  layout->addLayout(row);
  layout->addWidget(m_name);
  return group;
}

QWidget* CompletionPage::makeButtonRow(QWidget* parent) {
  auto* row = new QWidget(parent);
  const auto add = [&](const char* name, const QString& text, const char* icon,
                       const QString& tip) {
    auto* button = new QPushButton(lineIcon(QLatin1String(icon)), text, row);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tip);
    return button;
  };
  m_complete = add("complete", tr("&Complete"), "play", tr("Draw the rows that do not stay"));
  m_cancel = add("cancelCompletion", tr("Cance&l"), "stop", tr("Stop drawing; nothing is kept"));
  m_save = add("saveCompletion", tr("&Save…"), "save",
               tr("Save the row of pictures as PNG: original, what stays, completions"));
  connect(m_complete, &QPushButton::clicked, this, &CompletionPage::complete);
  connect(m_cancel, &QPushButton::clicked, m_bridge, &SequenceBridge::cancel);
  connect(m_save, &QPushButton::clicked, this, &CompletionPage::choosePng);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  for (QPushButton* button : {m_complete, m_cancel, m_save})
    layout->addWidget(button);
  return row;
}

void CompletionPage::connectBridge() {
  connect(m_bridge, &SequenceBridge::modelChanged, this, &CompletionPage::onModelChanged);
  connect(m_bridge, &SequenceBridge::jobChanged, this, &CompletionPage::onJobChanged);
  connect(m_bridge, &SequenceBridge::progressed, this, [this](const Progress& progress) {
    if (m_bridge->job() == SequenceBridge::Job::Completing) m_progress->setProgress(progress);
  });
  connect(m_bridge, &SequenceBridge::failed, this, [this](const QString& text) {
    if (hasModel()) m_message->setMessage(text, MessageLabel::Tone::Problem);
  });
  connect(m_bridge, &SequenceBridge::canceled, this, [this] {
    if (hasModel()) m_message->setMessage(tr("Cancelled."));
  });
  connect(m_bridge, &SequenceBridge::viewed, this, [this](const Image& view) {
    m_view = view;
    showTiles();
    refreshControls();
  });
  connect(m_bridge, &SequenceBridge::completed, this,
          [this](const std::shared_ptr<const CompletedPicture>& picture) {
            m_view = picture->view;
            m_completed = picture;
            m_message->clear();
            showTiles();
            refreshControls();
          });
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

void CompletionPage::setPicture(const Image& picture, const QString& name) {
  m_picture = picture;
  m_pictureName = name;
  m_view = {};
  m_completed.reset();
  m_message->clear();
  showTiles();
  refreshControls();
  if (hasModel()) m_bridge->view(picture);
}

void CompletionPage::openPicture(const QString& path) {
  m_reader->run<Result<Image>>(
      [path = path.toStdString()](std::stop_token) {
        return guarded(path, [&] { return readImage(path); });
      },
      [this, path](const Result<Image>& picture) {
        if (picture) return setPicture(*picture, QFileInfo(path).fileName());
        m_message->setMessage(tr("The picture was not opened. %1")
                                  .arg(QString::fromStdString(picture.error().text())),
                              MessageLabel::Tone::Problem);
      });
}

void CompletionPage::choosePicture() {
  FileQuestion question;
  question.title = tr("Picture to complete");
  question.start = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  question.filter = tr("Pictures (*.jpg *.jpeg *.png *.webp *.bmp *.tif *.tiff);;All files (*)");
  dialogs().files(this, question, [this](const QStringList& paths) {
    if (!paths.isEmpty()) openPicture(paths.front());
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

void CompletionPage::onJobChanged() {
  if (m_bridge->job() == SequenceBridge::Job::Completing)
    m_progress->setBusy();
  else
    m_progress->clear();
  refreshControls();
}

void CompletionPage::showTiles() {
  QList<PictureTiles::Tile> tiles;
  const auto wanted = settings();
  if (!m_view.empty() && wanted) {
    const int kept = keptRows(m_view.height, wanted->keptFraction);
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
  m_name->setText(m_picture.empty() ? tr("No picture yet") : m_pictureName);
  m_choose->setEnabled(!busy);
  m_ofWindow->setEnabled(!busy && m_document->hasImage());
  m_complete->setEnabled(!busy && !m_view.empty() && settings().has_value());
  m_cancel->setEnabled(m_bridge->job() == SequenceBridge::Job::Completing);
  m_save->setEnabled(m_tiles->tiles().size() > 2);
}

void CompletionPage::choosePng() {
  if (!m_completed) return;
  FileQuestion question;
  question.mode = FileQuestion::Mode::SaveFile;
  question.title = tr("Save the completions");
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  question.start = QDir(folder).filePath(QFileInfo(m_pictureName).completeBaseName() +
                                         QStringLiteral("-completed.png"));
  question.filter = tr("PNG (*.png)");
  question.suffix = QStringLiteral("png");
  dialogs().files(this, question, [this](const QStringList& paths) {
    if (!paths.isEmpty()) savePng(paths.front());
  });
}

void CompletionPage::savePng(const QString& path) {
  m_writer->run<Result<void>>(
      [path = path.toStdString(), picture = m_completed](std::stop_token) {
        return writeCompletion(*picture, path);
      },
      [this, path](const Result<void>& written) {
        if (written)
          return m_message->setMessage(tr("Saved %1.").arg(QDir::toNativeSeparators(path)));
        m_message->setMessage(
            tr("Not saved. %1").arg(QString::fromStdString(written.error().text())),
            MessageLabel::Tone::Problem);
      });
}

}  // namespace headlight
