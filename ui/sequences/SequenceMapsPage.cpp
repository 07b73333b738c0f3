// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/SequenceMapsPage.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStandardPaths>
#include <QVBoxLayout>

#include "core/base/files/Files.h"
#include "core/workbench/session/Pictures.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/Images.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/canvas/PictureTiles.h"
#include "ui/forms/ParameterForm.h"
#include "ui/sequences/CompletionPage.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/IconButton.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kMapsFormWidth = 300;
constexpr int kLookedTextLines = 6;
constexpr int kSavedMapSide = 512;
constexpr ColorMap kMapColors = ColorMap::Viridis;

}  // namespace

SequenceMapsPage::SequenceMapsPage(SequenceBridge* bridge, CompletionPage* pictures,
                                   QWidget* parent)
    : QWidget(parent), m_bridge(bridge), m_pictures(pictures), m_writer(new BackgroundTask(this)) {
  setObjectName(QStringLiteral("sequenceMapsPage"));
  m_tiles = new PictureTiles(this);
  m_tiles->setObjectName(QStringLiteral("sequenceMapTiles"));
  m_meaning = new QLabel(this);
  m_meaning->setObjectName(QStringLiteral("sequenceMapMeaning"));
  m_meaning->setWordWrap(true);
  m_meaning->setTextFormat(Qt::PlainText);
  auto* shown = new QVBoxLayout;
  shown->addWidget(m_tiles, 1);
  shown->addWidget(m_meaning);
  auto* layout = new QHBoxLayout(this);
  layout->setSpacing(10);
  layout->addWidget(makeControls());
  layout->addLayout(shown, 1);
  connectBridge();
  onModelChanged();
}

// --- Its parts ---------------------------------------------------------------------------------

QWidget* SequenceMapsPage::makeControls() {
  auto* column = new QWidget(this);
  column->setFixedWidth(kMapsFormWidth);
  m_picture = new QLabel(column);
  m_picture->setObjectName(QStringLiteral("lookedPicture"));
  m_picture->setTextFormat(Qt::PlainText);
  m_picture->setWordWrap(true);
  m_form = new ParameterForm(sequenceLookParameters(), QStringLiteral("sequenceLook"), column);
  m_form->setFilterVisible(false);
  connect(m_form, &ParameterForm::changed, this, &SequenceMapsPage::refreshControls);
  m_message = new MessageLabel(column);
  m_message->setObjectName(QStringLiteral("sequenceMapsMessage"));
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_picture);
  layout->addWidget(makeText(column));
  layout->addWidget(m_form, 1);
  layout->addWidget(m_message);
  layout->addWidget(makeButtons(column));
  return column;
}

QWidget* SequenceMapsPage::makeText(QWidget* parent) {
  m_textGroup = new QWidget(parent);
  m_text = new QPlainTextEdit(m_textGroup);
  m_text->setObjectName(QStringLiteral("lookedText"));
  m_text->setAccessibleName(tr("Text to look at"));
  m_text->setToolTip(tr("The model looks at its last bytes, as many as it takes"));
  m_text->setTabChangesFocus(true);
  m_text->setMaximumHeight(kLookedTextLines * fontMetrics().lineSpacing() + 16);
  connect(m_text, &QPlainTextEdit::textChanged, this, &SequenceMapsPage::refreshControls);
  auto* label = new QLabel(tr("&Text"), m_textGroup);
  label->setBuddy(m_text);
  auto* layout = new QVBoxLayout(m_textGroup);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(label);
  layout->addWidget(m_text);
  return m_textGroup;
}

QWidget* SequenceMapsPage::makeButtons(QWidget* parent) {
  auto* row = new QWidget(parent);
  m_look = iconButton(row, "lookSequence", tr("&Look"), "play",
                      tr("Show where every head of the layer looks"));
  m_save = iconButton(row, "saveSequenceMaps", tr("&Save…"), "save",
                      tr("Save the maps as PNG, with what they are in words"));
  connect(m_look, &QPushButton::clicked, this, &SequenceMapsPage::look);
  connect(m_save, &QPushButton::clicked, this, &SequenceMapsPage::choosePng);
  layOutButtons(row, {m_look, m_save});
  return row;
}

void SequenceMapsPage::connectBridge() {
  using Job = SequenceBridge::Job;
  connect(m_bridge, &SequenceBridge::modelChanged, this, &SequenceMapsPage::onModelChanged);
  connect(m_bridge, &SequenceBridge::jobChanged, this, &SequenceMapsPage::refreshControls);
  connect(m_bridge, &SequenceBridge::looked, this, &SequenceMapsPage::onLooked);
  connect(m_bridge, &SequenceBridge::failed, this, [this](Job job, const QString& text) {
    if (job == Job::Looking) m_message->setMessage(text, MessageLabel::Tone::Problem);
  });
  connect(m_pictures, &CompletionPage::pictureChanged, this, [this] {
    if (ofPictures()) forget();
  });
}

// --- What is looked at -------------------------------------------------------------------------

bool SequenceMapsPage::ofPictures() const {
  return m_bridge->model() && m_bridge->model()->experiment.ofPictures();
}

bool SequenceMapsPage::hasSequence() const {
  if (!m_bridge->model()) return false;
  return ofPictures() ? !m_pictures->picture().empty() : !m_text->toPlainText().isEmpty();
}

std::optional<SequenceLookSettings> SequenceMapsPage::settings() const {
  SequenceLookSettings settings;
  if (!m_form->isValid() ||
      !readParameters(sequenceLookParameters(), m_form->values(), &settings, "look"))
    return std::nullopt;
  return settings;
}

void SequenceMapsPage::look() {
  const auto wanted = settings();
  if (!wanted || !hasSequence() || m_bridge->isBusy()) return;
  m_message->clear();
  if (ofPictures())
    m_bridge->look(m_pictures->picture(), *wanted);
  else
    m_bridge->look(m_text->toPlainText().toUtf8(), *wanted);
}

void SequenceMapsPage::onModelChanged() {
  m_textGroup->setVisible(m_bridge->model() && !ofPictures());
  m_picture->setVisible(ofPictures());
  forget();
}

/// Maps of another model or of another picture.
void SequenceMapsPage::forget() {
  m_maps.reset();
  m_tiles->setTiles({});
  m_meaning->clear();
  m_message->clear();
  refreshControls();
}

void SequenceMapsPage::onLooked(const std::shared_ptr<const SequenceMaps>& maps) {
  m_maps = maps;
  QList<PictureTiles::Tile> tiles;
  for (int head = 0; head < maps->heads; ++head)
    tiles << PictureTiles::Tile{toQImage(sequenceMapPicture(*maps, head, kMapColors)),
                                maps->heads > 1 ? tr("head %1").arg(head) : tr("all features")};
  m_tiles->setTiles(tiles);
  m_meaning->setText(tr("Layer %1. ").arg(maps->layer) + QString::fromStdString(maps->meaning) +
                     QLatin1Char(' ') + QString::fromStdString(sequenceMapScale()));
  refreshControls();
}

void SequenceMapsPage::refreshControls() {
  const bool busy = m_bridge->isBusy();
  const QString name = m_pictures->pictureName();
  m_picture->setText(m_pictures->picture().empty()
                         ? tr("Choose a picture under Complete and continue.")
                         : tr("Picture: %1").arg(name));
  m_tiles->setHint(m_bridge->model() ? tr("Look: a matrix a head, from every byte to those before.")
                                     : tr("Open a model under Complete and continue."));
  m_look->setEnabled(!busy && hasSequence() && settings().has_value());
  m_save->setEnabled(m_maps != nullptr);
}

// --- Saving ------------------------------------------------------------------------------------

void SequenceMapsPage::choosePng() {
  if (!m_maps) return;
  const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  askWhereToSave(this, tr("Save the maps"),
                 QDir(folder).filePath(QStringLiteral("sequence-layer%1.png").arg(m_maps->layer)),
                 tr("PNG (*.png)"), [this](const QString& path) { savePng(path); });
}

void SequenceMapsPage::savePng(const QString& path) {
  m_writer->run<Result<void>>(
      [path = path.toStdString(), maps = m_maps](std::stop_token) {
        return guarded(path, [&]() -> Result<void> {
          const Image figure = sequenceMapsFigure(*maps, "Layer " + std::to_string(maps->layer),
                                                  kMapColors, kSavedMapSide);
          return writeFileAtomically(path,
                                     valueOrThrow(encodePng(figure, {{"Software", "Headlight"}})));
        });
      },
      [this, path](const Result<void>& written) { m_message->tellSaved(path, written); });
}

}  // namespace headlight
