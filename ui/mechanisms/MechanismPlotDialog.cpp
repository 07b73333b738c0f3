// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mechanisms/MechanismPlotDialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "core/base/files/Files.h"
#include "core/workbench/figures/AngularFigure.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/document/Folders.h"
#include "ui/document/ModelText.h"
#include "ui/mechanisms/MechanismPlotPanels.h"
#include "ui/plots/PanelsPlot.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kLeastPanelHeight = 150;

}  // namespace

MechanismPlotDialog::MechanismPlotDialog(Document* document, MechanismPlotBridge* bridge,
                                         QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_bridge(bridge),
      m_images(new QComboBox(this)),
      m_parts(new QComboBox(this)),
      m_shared(new QCheckBox(tr("One &scale"), this)),
      m_meaning(new QLabel(this)),
      m_state(new QLabel(this)),
      m_pages(new QStackedWidget(this)),
      m_panelsRoom(new QScrollArea(this)),
      m_curvesRoom(new QScrollArea(this)),
      m_panels(new MechanismPlotPanels),
      m_curves(new PanelsPlot(tr("position in the window"), 0, 1)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("ownDialog"));
  setWindowTitle(tr("Mechanism plots"));
  resize(900, 720);
  makeFields();
  m_curves->setObjectName(QStringLiteral("ownCurves"));
  m_curves->setAccessibleName(tr("Lines of the mechanism plot"));
  m_panelsRoom->setWidget(m_panels);
  m_curvesRoom->setWidget(m_curves);
  m_curvesRoom->setWidgetResizable(true);
  for (QScrollArea* room : {m_panelsRoom, m_curvesRoom}) {
    room->setFrameShape(QFrame::NoFrame);
    room->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_pages->addWidget(room);
  }
  m_panelsRoom->viewport()->installEventFilter(this);
  auto* layout = qobject_cast<QVBoxLayout*>(this->layout());
  layout->addWidget(m_pages, 1);
  layout->addWidget(m_state);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  connect(m_panels, &MechanismPlotPanels::pointed, this,
          [this](const QString& text) { m_state->setText(text.isEmpty() ? aboutText() : text); });
  connect(m_panels, &MechanismPlotPanels::headChosen, this, &MechanismPlotDialog::chooseHead);
  for (const auto signal : {&Document::inferenceChanged, &Document::staleChanged})
    connect(document, signal, this, &MechanismPlotDialog::request);
  connect(&document->view(), &ViewState::changed, this, [this] {
    request();
    refresh();
  });
  connect(bridge, &MechanismPlotBridge::offersChanged, this, &MechanismPlotDialog::fillOffers);
  connect(bridge, &MechanismPlotBridge::changed, this, &MechanismPlotDialog::refresh);
  fillOffers();
}

void MechanismPlotDialog::makeFields() {
  m_images->setObjectName(QStringLiteral("ownImages"));
  m_images->setAccessibleName(tr("Plot"));
  m_parts->setObjectName(QStringLiteral("ownParts"));
  m_parts->setAccessibleName(tr("Layers and heads shown"));
  m_parts->addItems({tr("the head shown"), tr("all heads of the layer"), tr("all layers")});
  m_parts->setCurrentIndex(kLayer);
  m_parts->setToolTip(
      plainToolTip(tr("The window sets layer and head ([ and ], comma and full stop there). Click "
                      "a tile to choose its head.")));
  m_shared->setObjectName(QStringLiteral("ownShared"));
  m_shared->setToolTip(
      plainToolTip(tr("One color scale for all tiles; otherwise each tile has its own")));
  m_meaning->setObjectName(QStringLiteral("ownMeaning"));
  m_state->setObjectName(QStringLiteral("ownState"));
  for (QLabel* label : {m_meaning, m_state}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  auto* row = new QHBoxLayout;
  addLabeledField(row, tr("&Plot"), m_images);
  addLabeledField(row, tr("&Show"), m_parts);
  row->addWidget(m_shared);
  row->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(row);
  layout->addWidget(m_meaning);
  connect(m_images, &QComboBox::currentIndexChanged, this, [this] {
    request();
    refresh();
  });
  connect(m_parts, &QComboBox::currentIndexChanged, this, [this] {
    request();
    refresh();
  });
  connect(m_shared, &QCheckBox::toggled, this, &MechanismPlotDialog::refresh);
}

QWidget* MechanismPlotDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_export = addDialogButton(buttons, tr("E&xport…"), "ownExport",
                             tr("Save the plot as a page, or all its numbers as CSV"));
  buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
  connect(m_export, &QPushButton::clicked, this, &MechanismPlotDialog::choosePath);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

/// The chosen plot stays if the new mechanism has it too.
void MechanismPlotDialog::fillOffers() {
  {
    const QSignalBlocker quiet(m_images);
    const QString before = m_images->currentData().toString();
    m_images->clear();
    for (const MechanismPlotInfo& offer : m_bridge->offers()) {
      m_images->addItem(coreText(offer.title), QString::fromStdString(offer.name));
      m_images->setItemData(m_images->count() - 1, plainToolTip(coreText(offer.meaning)),
                            Qt::ToolTipRole);
    }
    m_images->setCurrentIndex(std::max(0, m_images->findData(before)));
  }
  request();
  refresh();
}

MechanismPlotChoice MechanismPlotDialog::choice() const {
  return {m_images->currentData().toString().toStdString(), m_parts->currentIndex() == kAllLayers};
}

MechanismPlotStyle MechanismPlotDialog::plotStyle() const {
  const ViewOptions& view = m_document->view().options();
  MechanismPlotStyle style;
  style.colorMap = view.colorMap;
  style.sharedScale = m_shared->isChecked();
  style.opacity = view.opacity;
  style.smooth = view.smooth;
  if (m_parts->currentIndex() != kAllLayers) style.layer = view.layer;
  if (m_parts->currentIndex() == kHead) style.head = view.head;
  return style;
}

/// A hidden dialog computes nothing. The message about a saved plot no longer applies.
void MechanismPlotDialog::request() {
  m_status->clear();
  if (isVisible()) m_bridge->request(choice());
}

void MechanismPlotDialog::showEvent(QShowEvent* event) {
  QDialog::showEvent(event);
  request();
}

void MechanismPlotDialog::hideEvent(QHideEvent* event) {
  QDialog::hideEvent(event);
  if (!event->spontaneous()) m_bridge->forget();
}

void MechanismPlotDialog::resizeEvent(QResizeEvent* event) {
  QDialog::resizeEvent(event);
  m_panels->setRoom(m_panelsRoom->maximumViewportSize());
}

bool MechanismPlotDialog::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) m_panels->setRoom(m_panelsRoom->maximumViewportSize());
  return QDialog::eventFilter(watched, event);
}

QString MechanismPlotDialog::stateText() const {
  return m_state->text();
}

QString MechanismPlotDialog::aboutText() const {
  const auto result = m_bridge->result();
  if (!m_document->inputs().hasModel() || m_bridge->offers().empty())
    return tr("This model's mechanism has no plots. AFT, IBiT's learned masks and LSLA have them.");
  if (result && !result->error.isEmpty()) return result->error;
  if (!result || !result->image)
    return m_bridge->isBusy() ? tr("Computing…") : tr("Open an image to show the plot.");
  QString text = coreText(plotTitle(*result->image));
  if (!result->image->note.empty()) text += QStringLiteral(" · ") + coreText(result->image->note);
  if (const QString scale = m_panels->scaleText();
      !scale.isEmpty() && result->info.kind != MechanismPlotKind::Curves)
    text += QStringLiteral(" · ") + scale;
  return text;
}

void MechanismPlotDialog::refresh() {
  const auto result = m_bridge->result();
  const bool current = result && result->image && result->info.name == choice().name;
  QString meaning;
  for (const MechanismPlotInfo& offer : m_bridge->offers())
    if (offer.name == choice().name)
      meaning = tr("%1 (%2)").arg(coreText(offer.meaning), QString::fromStdString(offer.source));
  m_meaning->setText(meaning);
  m_export->setEnabled(current);
  m_shared->setVisible(!current || result->info.kind != MechanismPlotKind::Curves);
  if (current && result->info.kind == MechanismPlotKind::Curves) {
    m_pages->setCurrentWidget(m_curvesRoom);
    showCurves(*result->image);
    m_state->setText(aboutText());
    return;
  }
  m_pages->setCurrentWidget(m_panelsRoom);
  m_panels->setRoom(m_panelsRoom->maximumViewportSize());
  m_panels->setImage(current ? result->image : nullptr, plotStyle(),
                     current ? result->view : Image(),
                     m_document->inputs().hasModel() ? m_document->inputs().model().grid : Grid());
  m_panels->setChosen(m_document->view().options().layer, m_document->view().options().head);
  m_state->setText(aboutText());
}

void MechanismPlotDialog::showCurves(const MechanismPlot& image) {
  const MechanismPlotStyle wanted = plotStyle();
  std::vector<AnglePanel> panels;
  std::size_t places = 2;
  for (const int layer : image.layers())
    for (const int head : image.heads(layer)) {
      const bool shown = (wanted.layer < 0 || layer == wanted.layer) &&
                         (wanted.head < 0 || head < 0 || head == wanted.head);
      if (!shown) continue;
      AnglePanel panel{plotPlaceText(layer, head), plotCurves(image, layer, head), {}};
      for (const PlottedCurve& curve : panel.curves)
        if (!curve.keys.empty())
          places = std::max(places, static_cast<std::size_t>(curve.keys.back()) + 1);
      panels.push_back(std::move(panel));
    }
  m_curves->setMinimumHeight(static_cast<int>(panels.size()) * kLeastPanelHeight);
  m_curves->setAxisRange(0, static_cast<double>(places - 1));
  m_curves->setPanels(panels);
}

void MechanismPlotDialog::chooseHead(int layer, int head) {
  m_document->view().change([&](ViewOptions& view) {
    view.layer = layer;
    view.head = head;
  });
  m_parts->setCurrentIndex(m_parts->currentIndex() == kHead ? kLayer : kHead);
}

void MechanismPlotDialog::choosePath() {
  const auto result = m_bridge->result();
  if (!result) return;
  const bool curves = result->info.kind == MechanismPlotKind::Curves;
  askWhereToSave(this, tr("Export the plot"),
                 QDir(figureFolder())
                     .filePath(QString::fromStdString(result->info.name) +
                               (curves ? QStringLiteral(".pdf") : QStringLiteral(".png"))),
                 curves ? tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Numbers (*.csv)")
                        : tr("PNG (*.png);;Numbers (*.csv)"),
                 [this](const QString& path) { save(path); });
}

void MechanismPlotDialog::save(const QString& path) {
  const auto result = m_bridge->result();
  if (!result || !result->image) return;
  const std::filesystem::path file = path.toStdString();
  const MechanismPlot& image = *result->image;
  const std::string subject = modelTitle(m_document->inputs().model()).toStdString();
  const auto written = guarded(file.string(), [&]() -> Result<void> {
    if (file.extension() == ".csv") return writeFileAtomically(file, plotCsv(image));
    if (image.info.kind == MechanismPlotKind::Curves && file.extension() != ".png")
      return writeDrawing(file, curvesDrawing(image, m_document->view().options().layer,
                                              std::max(0, m_document->view().options().head)));
    if (file.extension() != ".png")
      throw Failure(
          {ErrorCode::InvalidArgument,
           tr("the name of this plot must end in .png, or .csv for its numbers").toStdString(),
           file.string()});
    const Image page = valueOrThrow(plotPage(image, subject, plotStyle(), result->view));
    return writeFileAtomically(file, valueOrThrow(encodePng(page)));
  });
  m_status->reportSaved(path, written);
  rememberWritten(path);
}

}  // namespace headlight
