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
#include "ui/base/SanitizedText.h"
#include "ui/document/Folders.h"
#include "ui/mechanisms/MechanismPlotPanels.h"
#include "ui/plots/PanelsPlot.h"
#include "ui/widgets/Dialogs.h"
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
      m_pictures(new QComboBox(this)),
      m_parts(new QComboBox(this)),
      m_shared(new QCheckBox(tr("One &scale"), this)),
      m_meaning(new QLabel(this)),
      m_state(new QLabel(this)),
      m_pages(new QStackedWidget(this)),
      m_panelsRoom(new QScrollArea(this)),
      m_curvesRoom(new QScrollArea(this)),
      m_panels(new MechanismPlotPanels),
      m_curves(new PanelsPlot(tr("place in the window"), 0, 1)),
      m_status(new MessageLabel(this)) {
  setObjectName(QStringLiteral("ownDialog"));
  setWindowTitle(tr("The mechanism's own pictures"));
  resize(900, 720);
  makeFields();
  m_curves->setObjectName(QStringLiteral("ownCurves"));
  m_curves->setAccessibleName(tr("Lines of the mechanism's own picture"));
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
  for (const auto signal : {&Document::lookChanged, &Document::staleChanged})
    connect(document, signal, this, &MechanismPlotDialog::request);
  connect(document, &Document::viewChanged, this, [this] {
    request();
    refresh();
  });
  connect(bridge, &MechanismPlotBridge::offersChanged, this, &MechanismPlotDialog::fillOffers);
  connect(bridge, &MechanismPlotBridge::changed, this, &MechanismPlotDialog::refresh);
  fillOffers();
}

void MechanismPlotDialog::makeFields() {
  m_pictures->setObjectName(QStringLiteral("ownPictures"));
  m_pictures->setAccessibleName(tr("Which picture"));
  m_parts->setObjectName(QStringLiteral("ownParts"));
  m_parts->setAccessibleName(tr("Of which layers and heads"));
  m_parts->addItems({tr("the head that is shown"), tr("all heads of the layer"), tr("all layers")});
  m_parts->setCurrentIndex(kLayer);
  m_parts->setToolTip(plainToolTip(
      tr("The layer and the head are the window's ([ and ], comma and full stop there). A "
         "click on a tile chooses its head.")));
  m_shared->setObjectName(QStringLiteral("ownShared"));
  m_shared->setToolTip(
      plainToolTip(tr("One colour scale for all that are shown, or each its own")));
  m_meaning->setObjectName(QStringLiteral("ownMeaning"));
  m_state->setObjectName(QStringLiteral("ownState"));
  for (QLabel* label : {m_meaning, m_state}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  auto* pictures = new QLabel(tr("&Picture"), this);
  pictures->setBuddy(m_pictures);
  auto* parts = new QLabel(tr("&Of"), this);
  parts->setBuddy(m_parts);
  auto* row = new QHBoxLayout;
  for (QWidget* part : {static_cast<QWidget*>(pictures), static_cast<QWidget*>(m_pictures),
                        static_cast<QWidget*>(parts), static_cast<QWidget*>(m_parts),
                        static_cast<QWidget*>(m_shared)})
    row->addWidget(part);
  row->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(row);
  layout->addWidget(m_meaning);
  connect(m_pictures, &QComboBox::currentIndexChanged, this, [this] {
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
  m_export = buttons->addButton(tr("E&xport…"), QDialogButtonBox::ActionRole);
  m_export->setObjectName(QStringLiteral("ownExport"));
  m_export->setToolTip(tr("What is shown as a page, or all of its numbers as CSV"));
  for (QAbstractButton* button : buttons->buttons())
    qobject_cast<QPushButton*>(button)->setAutoDefault(false);
  connect(m_export, &QPushButton::clicked, this, &MechanismPlotDialog::choosePath);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

/// The one that was chosen stays where the new mechanism has it too.
void MechanismPlotDialog::fillOffers() {
  {
    const QSignalBlocker quiet(m_pictures);
    const QString before = m_pictures->currentData().toString();
    m_pictures->clear();
    for (const MechanismPlotInfo& offer : m_bridge->offers()) {
      m_pictures->addItem(QString::fromStdString(offer.title), QString::fromStdString(offer.name));
      m_pictures->setItemData(m_pictures->count() - 1,
                              plainToolTip(QString::fromStdString(offer.meaning)), Qt::ToolTipRole);
    }
    m_pictures->setCurrentIndex(std::max(0, m_pictures->findData(before)));
  }
  request();
  refresh();
}

MechanismPlotChoice MechanismPlotDialog::choice() const {
  return {m_pictures->currentData().toString().toStdString(),
          m_parts->currentIndex() == kAllLayers};
}

MechanismPlotStyle MechanismPlotDialog::ownStyle() const {
  const ViewOptions& view = m_document->view();
  MechanismPlotStyle style;
  style.colorMap = view.colorMap;
  style.sharedScale = m_shared->isChecked();
  style.opacity = view.opacity;
  style.smooth = view.smooth;
  if (m_parts->currentIndex() != kAllLayers) style.layer = view.layer;
  if (m_parts->currentIndex() == kHead) style.head = view.head;
  return style;
}

/// Hidden it costs nothing. What was saved before is of another picture.
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
  if (!m_document->hasModel() || m_bridge->offers().empty())
    return tr(
        "This model's mechanism has no pictures of its own; AFT, IBiT's learned masks and "
        "LSLA have.");
  if (result && !result->error.isEmpty()) return result->error;
  if (!result || !result->picture)
    return m_bridge->isBusy() ? tr("Working it out…") : tr("Open a picture to see it.");
  QString text = QString::fromStdString(ownTitle(*result->picture));
  if (!result->picture->note.empty())
    text += QStringLiteral(" · ") + QString::fromStdString(result->picture->note);
  if (const QString scale = m_panels->scaleText();
      !scale.isEmpty() && result->info.kind != MechanismPlotKind::Curves)
    text += QStringLiteral(" · ") + scale;
  return text;
}

void MechanismPlotDialog::refresh() {
  const auto result = m_bridge->result();
  const bool current = result && result->picture && result->info.name == choice().name;
  QString meaning;
  for (const MechanismPlotInfo& offer : m_bridge->offers())
    if (offer.name == choice().name)
      meaning = tr("%1 (%2)").arg(QString::fromStdString(offer.meaning),
                                  QString::fromStdString(offer.source));
  m_meaning->setText(meaning);
  m_export->setEnabled(current);
  m_shared->setVisible(!current || result->info.kind != MechanismPlotKind::Curves);
  if (current && result->info.kind == MechanismPlotKind::Curves) {
    m_pages->setCurrentWidget(m_curvesRoom);
    showCurves(*result->picture);
    m_state->setText(aboutText());
    return;
  }
  m_pages->setCurrentWidget(m_panelsRoom);
  m_panels->setRoom(m_panelsRoom->maximumViewportSize());
  m_panels->setPicture(current ? result->picture : nullptr, ownStyle(),
                       current ? result->view : Image(),
                       m_document->hasModel() ? m_document->model().grid : Grid());
  m_panels->setChosen(m_document->view().layer, m_document->view().head);
  m_state->setText(aboutText());
}

void MechanismPlotDialog::showCurves(const MechanismPlot& picture) {
  const MechanismPlotStyle wanted = ownStyle();
  std::vector<AnglePanel> panels;
  std::size_t places = 2;
  for (const int layer : picture.layers())
    for (const int head : picture.heads(layer)) {
      const bool shown = (wanted.layer < 0 || layer == wanted.layer) &&
                         (wanted.head < 0 || head < 0 || head == wanted.head);
      if (!shown) continue;
      AnglePanel panel{ownPlaceText(layer, head), ownCurves(picture, layer, head), {}};
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
  m_document->changeView([&](ViewOptions& view) {
    view.layer = layer;
    view.head = head;
  });
  m_parts->setCurrentIndex(m_parts->currentIndex() == kHead ? kLayer : kHead);
}

void MechanismPlotDialog::choosePath() {
  const auto result = m_bridge->result();
  if (!result) return;
  const bool curves = result->info.kind == MechanismPlotKind::Curves;
  askWhereToSave(this, tr("Export the picture"),
                 QDir(figureFolder())
                     .filePath(QString::fromStdString(result->info.name) +
                               (curves ? QStringLiteral(".pdf") : QStringLiteral(".png"))),
                 curves ? tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;Numbers (*.csv)")
                        : tr("PNG (*.png);;Numbers (*.csv)"),
                 [this](const QString& path) { save(path); });
}

void MechanismPlotDialog::save(const QString& path) {
  const auto result = m_bridge->result();
  if (!result || !result->picture) return;
  const std::filesystem::path file = path.toStdString();
  const MechanismPlot& picture = *result->picture;
  const std::string subject = m_document->model().experiment.model.name;
  const auto written = guarded(file.string(), [&]() -> Result<void> {
    if (file.extension() == ".csv") return writeFileAtomically(file, ownCsv(picture));
    if (picture.info.kind == MechanismPlotKind::Curves && file.extension() != ".png")
      return writeDrawing(
          file, ownPlot(picture, m_document->view().layer, std::max(0, m_document->view().head)));
    if (file.extension() != ".png")
      throw Failure({ErrorCode::InvalidArgument, "this picture ends in .png, its numbers in .csv",
                     file.string()});
    const Image page = valueOrThrow(ownPage(picture, subject, ownStyle(), result->view));
    return writeFileAtomically(file, valueOrThrow(encodePng(page)));
  });
  m_status->tellSaved(path, written);
  rememberWritten(path);
}

}  // namespace headlight
