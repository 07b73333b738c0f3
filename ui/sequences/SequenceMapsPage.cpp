// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sequences/SequenceMapsPage.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/files/Files.h"
#include "core/workbench/session/Images.h"
#include "ui/base/BackgroundTask.h"
#include "ui/base/CoreText.h"
#include "ui/base/Images.h"
#include "ui/bridge/ImageBridge.h"
#include "ui/canvas/ImageTiles.h"
#include "ui/document/Folders.h"
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
constexpr int kFilterSide = 384;
constexpr ColorMap kMapColors = ColorMap::Viridis;

}  // namespace

SequenceMapsPage::SequenceMapsPage(SequenceBridge* bridge, CompletionPage* images, QWidget* parent)
    : QWidget(parent), m_bridge(bridge), m_images(images), m_writer(new BackgroundTask(this)) {
  setObjectName(QStringLiteral("sequenceMapsPage"));
  m_tiles = new ImageTiles(this);
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

// --- Widgets -----------------------------------------------------------------------------------

QWidget* SequenceMapsPage::makeControls() {
  auto* column = new QWidget(this);
  column->setFixedWidth(kMapsFormWidth);
  m_image = new QLabel(column);
  m_image->setObjectName(QStringLiteral("lookedImage"));
  m_image->setTextFormat(Qt::PlainText);
  m_image->setWordWrap(true);
  m_form = new ParameterForm(sequenceLookParameters(), QStringLiteral("sequenceLook"), column);
  m_form->setFilterVisible(false);
  connect(m_form, &ParameterForm::changed, this, &SequenceMapsPage::refreshControls);
  m_message = new MessageLabel(column);
  m_message->setObjectName(QStringLiteral("sequenceMapsMessage"));
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_image);
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
  m_text->setAccessibleName(tr("Input text"));
  m_text->setToolTip(tr("The model reads the last bytes, up to its sequence length"));
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
  m_show = iconButton(row, "lookSequence", tr("Sho&w Attention"), "play",
                      tr("Show an attention map of every head of the layer"));
  m_save = iconButton(row, "saveSequenceMaps", tr("&Save…"), "save",
                      tr("Save the maps as PNG, with a description"));
  connect(m_show, &QPushButton::clicked, this, &SequenceMapsPage::infer);
  connect(m_save, &QPushButton::clicked, this, &SequenceMapsPage::choosePng);
  layOutButtons(row, {m_show, m_save});
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
  connect(m_images, &CompletionPage::imageChanged, this, [this] {
    if (ofImages()) forget();
  });
}

// --- Input -------------------------------------------------------------------------------------

bool SequenceMapsPage::ofImages() const {
  return m_bridge->model() && m_bridge->model()->experiment.ofImages();
}

bool SequenceMapsPage::hasSequence() const {
  if (!m_bridge->model()) return false;
  return ofImages() ? !m_images->image().empty() : !m_text->toPlainText().isEmpty();
}

std::optional<SequenceLookSettings> SequenceMapsPage::settings() const {
  SequenceLookSettings settings;
  if (!m_form->isValid() ||
      !readParameters(sequenceLookParameters(), m_form->values(), &settings, "look"))
    return std::nullopt;
  return settings;
}

void SequenceMapsPage::infer() {
  const auto wanted = settings();
  if (!wanted || !hasSequence() || m_bridge->isBusy()) return;
  m_message->clear();
  if (ofImages())
    m_bridge->infer(m_images->image(), *wanted);
  else
    m_bridge->infer(m_text->toPlainText().toUtf8(), *wanted);
}

void SequenceMapsPage::onModelChanged() {
  m_textGroup->setVisible(m_bridge->model() && !ofImages());
  m_image->setVisible(ofImages());
  forget();
}

/// Drops the maps: another model or image is open.
void SequenceMapsPage::forget() {
  m_maps.reset();
  m_tiles->setTiles({});
  m_meaning->clear();
  m_message->clear();
  refreshControls();
}

void SequenceMapsPage::onLooked(const std::shared_ptr<const SequenceMaps>& maps) {
  m_maps = maps;
  QList<ImageTiles::Tile> tiles;
  for (int head = 0; head < maps->heads; ++head)
    tiles << ImageTiles::Tile{
        toQImage(sequenceMapImage(*maps, head, kMapColors)),
        maps->heads > 1 || maps->taps > 0 ? tr("head %1").arg(head) : tr("all features")};
  if (maps->taps > 0)
    tiles << ImageTiles::Tile{toQImage(sequenceFilterImage(*maps, kFilterSide)), tr("filters")};
  m_tiles->setTiles(tiles);
  m_meaning->setText(
      tr("Layer %1. ").arg(maps->layer) + coreText(maps->meaning) + QLatin1Char(' ') +
      coreText(sequenceMapScale()) +
      (maps->taps > 0 ? QLatin1Char(' ') + coreText(sequenceFilterMeaning()) : QString()));
  refreshControls();
}

void SequenceMapsPage::refreshControls() {
  const bool busy = m_bridge->isBusy();
  const QString name = m_images->imageName();
  m_image->setText(m_images->image().empty()
                       ? tr("Choose an image on the page Complete and continue.")
                       : tr("Image: %1").arg(name));
  m_tiles->setHint(
      m_bridge->model()
          ? tr("Press Show Attention: one matrix per head, from every byte to the bytes before it.")
          : tr("Open a model on the page Complete and continue."));
  m_show->setEnabled(!busy && hasSequence() && settings().has_value());
  m_save->setEnabled(m_maps != nullptr);
}

// --- Saving ------------------------------------------------------------------------------------

void SequenceMapsPage::choosePng() {
  if (!m_maps) return;
  const QString name = QStringLiteral("sequence-layer%1.png").arg(m_maps->layer);
  askWhereToSave(this, tr("Save the maps"), QDir(documentsFolder()).filePath(name),
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
      [this, path](const Result<void>& written) { m_message->reportSaved(path, written); });
}

}  // namespace headlight
