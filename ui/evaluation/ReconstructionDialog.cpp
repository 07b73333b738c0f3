// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/ReconstructionDialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

#include "core/base/files/Files.h"
#include "ui/base/CoreText.h"
#include "ui/base/Images.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kShownSide = 224;      // of small images, in pixels
constexpr int kMostShownSide = 280;  // four beside each other fit a screen of 1280

/// `ratio`: pixels of the screen to one of the interface.
QPixmap shownPixmap(const Image& image, double ratio) {
  const QImage whole = toQImage(image);
  const int longer = std::max(image.width, image.height);
  const double side = std::min(kMostShownSide, longer * std::max(1, kShownSide / longer));
  const QSize size = (QSizeF(whole.size()) * (side / longer * ratio)).toSize();
  const bool smaller = size.width() < whole.width();
  QPixmap shown = QPixmap::fromImage(whole.scaled(
      size, Qt::IgnoreAspectRatio, smaller ? Qt::SmoothTransformation : Qt::FastTransformation));
  shown.setDevicePixelRatio(ratio);
  return shown;
}

}  // namespace

QString whyNotReconstructed(const Document& document) {
  if (!document.inputs().hasModel()) return ReconstructionDialog::tr("Open a model first.");
  if (!document.inputs().canCompute()) return document.inputs().whyNotComputed();
  const auto can = canReconstruct(document.inputs().model().experiment.model);
  return can ? QString() : coreText(can.error().message);
}

ReconstructionDialog::ReconstructionDialog(const Document* document, ModelWorker* inference,
                                           QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_inference(inference),
      m_loss(new QLabel(this)),
      m_caption(new QLabel(this)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("reconstructionDialog"));
  setWindowTitle(tr("Reconstruct"));
  m_loss->setObjectName(QStringLiteral("reconstructionLoss"));
  m_loss->setTextFormat(Qt::PlainText);
  m_loss->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_caption->setObjectName(QStringLiteral("reconstructionCaption"));
  m_caption->setTextFormat(Qt::PlainText);
  m_caption->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(makeFields());
  layout->addWidget(makeImages(), 1);
  layout->addWidget(m_loss);
  layout->addWidget(m_caption);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  connect(m_ratio, &QDoubleSpinBox::valueChanged, this, &ReconstructionDialog::run);
  connect(m_seed, &QSpinBox::valueChanged, this, &ReconstructionDialog::run);
  connect(m_layer, &QSpinBox::valueChanged, this, &ReconstructionDialog::run);
  connect(m_head, &QSpinBox::valueChanged, this, &ReconstructionDialog::draw);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this,
          &ReconstructionDialog::onModel);
  connect(&document->inputs(), &InferenceInputs::imageChanged, this, &ReconstructionDialog::run);
  onModel();
}

QWidget* ReconstructionDialog::makeFields() {
  auto* fields = new QWidget(this);
  auto* row = new QHBoxLayout(fields);
  row->setContentsMargins(0, 0, 0, 0);
  m_ratio = new QDoubleSpinBox(fields);
  m_ratio->setObjectName(QStringLiteral("reconstructionRatio"));
  m_ratio->setRange(0.01, 0.99);
  m_ratio->setSingleStep(0.05);
  m_ratio->setToolTip(tr("Share of the patches that the model does not see"));
  m_seed = new QSpinBox(fields);
  m_seed->setObjectName(QStringLiteral("reconstructionSeed"));
  m_seed->setRange(0, 1'000'000);
  m_seed->setToolTip(tr("Seed of which patches are dropped"));
  m_layer = new QSpinBox(fields);
  m_layer->setObjectName(QStringLiteral("reconstructionLayer"));
  m_layer->setToolTip(tr("Layer whose attention among the kept patches is shown"));
  m_head = new QSpinBox(fields);
  m_head->setObjectName(QStringLiteral("reconstructionHead"));
  m_head->setRange(-1, -1);
  m_head->setSpecialValueText(tr("mean"));
  m_head->setToolTip(tr("Head whose attention is shown, or the mean of all"));
  addLabeledField(row, tr("&Mask ratio"), m_ratio);
  addLabeledField(row, tr("S&eed"), m_seed);
  addLabeledField(row, tr("&Layer"), m_layer);
  addLabeledField(row, tr("&Head"), m_head);
  row->addStretch();
  return fields;
}

QWidget* ReconstructionDialog::makeImages() {
  auto* images = new QWidget(this);
  auto* grid = new QGridLayout(images);
  const auto add = [&](int column, const QString& title, const char* name) {
    auto* image = new QLabel(images);
    image->setObjectName(QString::fromLatin1(name));
    image->setAccessibleName(title);
    image->setMinimumSize(kShownSide, kShownSide);
    image->setAlignment(Qt::AlignCenter);
    grid->addWidget(new QLabel(title, images), 0, column, Qt::AlignHCenter);
    grid->addWidget(image, 1, column);
    return image;
  };
  m_masked = add(0, tr("Masked"), "reconstructionMasked");
  m_rebuilt = add(1, tr("Reconstructed"), "reconstructionRebuilt");
  m_original = add(2, tr("Original"), "reconstructionOriginal");
  m_attention = add(3, tr("Attention"), "reconstructionAttention");
  for (QLabel* image : {m_masked, m_rebuilt, m_original, m_attention}) {
    image->installEventFilter(this);
    image->setToolTip(tr("Click a kept patch to show where it looks"));
  }
  grid->setRowStretch(1, 1);
  return images;
}

QWidget* ReconstructionDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_save = addDialogButton(buttons, tr("&Save Image…"), "reconstructionSave",
                           tr("Save the images beside each other as PNG"));
  connect(m_save, &QPushButton::clicked, this, &ReconstructionDialog::save);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

/// The ratio starts as the model was trained, the attention as the last layer's class token has it.
void ReconstructionDialog::onModel() {
  m_query = 0;
  if (whyNotReconstructed(*m_document).isEmpty()) {
    const QSignalBlocker quietRatio(m_ratio), quietLayer(m_layer), quietHead(m_head);
    const ModelInfo& model = m_document->inputs().model();
    m_ratio->setValue(trainedMaskRatio(model.experiment.model));
    m_layer->setMaximum(static_cast<int>(model.heads.size()) - 1);
    m_layer->setValue(m_layer->maximum());
    m_head->setMaximum(*std::max_element(model.heads.begin(), model.heads.end()) - 1);
    m_head->setValue(-1);
  }
  run();
}

void ReconstructionDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  run();
}

void ReconstructionDialog::hideEvent(QHideEvent* event) {
  QDialog::hideEvent(event);
  if (!event->spontaneous()) m_task.cancel();
}

/// Hidden it computes nothing.
void ReconstructionDialog::run() {
  m_task.cancel();
  m_reconstruction.reset();
  m_drawn.reset();
  const QString why = !m_document->inputs().hasImage() ? tr("Open an image first.")
                                                       : whyNotReconstructed(*m_document);
  m_status->setMessage(why);
  fill();
  if (!isVisible() || !why.isEmpty()) return;
  const ReconstructionRequest request{m_ratio->value(), static_cast<std::uint64_t>(m_seed->value()),
                                      m_layer->value()};
  m_status->setMessage(tr("Reconstructing…"));
  m_task.run<Rebuilt>(
      [session = m_inference->session(), image = m_document->inputs().image(),
       request](std::stop_token stop) -> Rebuilt {
        const auto open = session();
        if (stop.stop_requested()) return Error{ErrorCode::Canceled, "canceled", ""};
        if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
        return reconstruct(*open, image, request);
      },
      [this](const Rebuilt& rebuilt) { take(rebuilt); });
}

void ReconstructionDialog::take(const Rebuilt& rebuilt) {
  m_status->clear();
  if (rebuilt)
    m_reconstruction = *rebuilt;
  else if (rebuilt.error().code != ErrorCode::Canceled)
    m_status->setMessage(QString::fromStdString(rebuilt.error().text()),
                         MessageLabel::Tone::Problem);
  fill();
}

void ReconstructionDialog::fill() {
  m_save->setEnabled(m_reconstruction.has_value());
  draw();
  m_loss->setText(m_reconstruction ? coreText(reconstructionText(*m_reconstruction)) : QString());
  if (!m_reconstruction) {
    for (QLabel* label : {m_masked, m_rebuilt, m_original})
      label->clear();
    return;
  }
  m_masked->setPixmap(shownPixmap(m_reconstruction->masked, devicePixelRatioF()));
  m_rebuilt->setPixmap(shownPixmap(m_reconstruction->rebuilt, devicePixelRatioF()));
  m_original->setPixmap(shownPixmap(m_reconstruction->original, devicePixelRatioF()));
}

/// The class token looks where the chosen one was dropped.
void ReconstructionDialog::draw() {
  m_drawn.reset();
  m_attention->clear();
  m_caption->clear();
  if (!m_reconstruction || !m_reconstruction->attention) return;
  const KeptAttention& attention = *m_reconstruction->attention;
  const auto place = static_cast<std::size_t>(m_query);
  if (place >= attention.places.size() || attention.places[place] < 0) m_query = 0;
  const auto drawn = drawKeptMap(attention, {m_query, m_head->value()}, m_reconstruction->masked);
  if (!drawn) return m_status->setMessage(coreText(drawn.error().message));
  m_drawn = *drawn;
  m_attention->setPixmap(shownPixmap(m_drawn->image, devicePixelRatioF()));
  m_caption->setText(coreText(m_drawn->caption));
}

void ReconstructionDialog::setQuery(int token) {
  if (!m_reconstruction || !m_reconstruction->attention) return;
  const std::vector<int>& places = m_reconstruction->attention->places;
  if (token < 0 || token >= static_cast<int>(places.size())) return;
  if (places[static_cast<std::size_t>(token)] < 0) return;
  m_query = token;
  draw();
}

bool ReconstructionDialog::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseButtonPress)
    if (const auto* image = qobject_cast<QLabel*>(watched))
      clickAt(*image, static_cast<QMouseEvent*>(event)->position());
  return QDialog::eventFilter(watched, event);
}

void ReconstructionDialog::clickAt(const QLabel& image, const QPointF& place) {
  const QSizeF shown = image.pixmap().deviceIndependentSize();
  if (!m_reconstruction || !m_reconstruction->attention || shown.isEmpty()) return;
  const Grid& grid = m_reconstruction->attention->grid;
  const double x = (place.x() - (image.width() - shown.width()) / 2) / shown.width(),
               y = (place.y() - (image.height() - shown.height()) / 2) / shown.height();
  if (x < 0 || x >= 1 || y < 0 || y >= 1) return;
  setQuery(grid.prefix + static_cast<int>(y * grid.rows) * grid.cols +
           static_cast<int>(x * grid.cols));
}

void ReconstructionDialog::save() {
  askWhereToSave(this, tr("Save the image"),
                 QDir(figureFolder()).filePath(QStringLiteral("reconstructed.png")),
                 tr("PNG (*.png)"), [this](const QString& path) { saveAs(path); });
}

void ReconstructionDialog::saveAs(const QString& path) {
  if (!m_reconstruction) return;
  const auto bytes = encodePng(
      besideEachOther(*m_reconstruction, m_drawn ? std::optional(m_drawn->image) : std::nullopt),
      {{"Software", "Headlight"}});
  m_status->reportSaved(
      path, bytes ? writeFileAtomically(path.toStdString(), *bytes) : Result<void>(bytes.error()));
  rememberWritten(path);
}

}  // namespace headlight
