// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/ViewControls.h"

#include <QComboBox>
#include <QLabel>
#include <QRegularExpression>
#include <QSlider>
#include <QToolButton>

#include <algorithm>

#include "ui/base/CoreText.h"
#include "ui/canvas/ViewedDecoder.h"
#include "ui/canvas/ViewedObjects.h"
#include "ui/canvas/ViewedSegments.h"

namespace headlight {
namespace {

QIcon swatch(ColorMap map) {
  QImage image(48, 12, QImage::Format_RGB32);
  for (int x = 0; x < image.width(); ++x) {
    const auto rgb = colorOf(map, x / (image.width() - 1.0));
    for (int y = 0; y < image.height(); ++y)
      image.setPixel(x, y, qRgb(rgb[0], rgb[1], rgb[2]));
  }
  return QIcon(QPixmap::fromImage(image));
}

}  // namespace

TokenSpinBox::TokenSpinBox(Document* document, QWidget* parent)
    : QSpinBox(parent), m_document(document) {
  setRange(0, 0);
}

QString TokenSpinBox::textFromValue(int value) const {
  return m_document->view().describeToken(value);
}

std::optional<int> TokenSpinBox::parse(const QString& text) const {
  if (!m_document->inputs().hasModel()) return {};
  const Grid& grid = m_document->inputs().model().grid;
  const QString words = text.trimmed().toLower();
  for (int token = 0; token < grid.prefix; ++token)
    if (!words.isEmpty() && m_document->view().describeToken(token).startsWith(words)) return token;
  static const QRegularExpression kPair(QStringLiteral("^\\D*(\\d+)\\D+(\\d+)\\D*$"));
  static const QRegularExpression kNumber(QStringLiteral("^(\\d+)$"));
  if (const auto match = kPair.match(words); match.hasMatch()) {
    const int row = match.captured(1).toInt(), col = match.captured(2).toInt();
    if (row < grid.rows && col < grid.cols) return grid.prefix + row * grid.cols + col;
  } else if (const auto one = kNumber.match(words); one.hasMatch()) {
    const int token = one.captured(1).toInt();
    if (token < grid.tokens()) return token;
  }
  return {};
}

int TokenSpinBox::valueFromText(const QString& text) const {
  return parse(text).value_or(value());
}

QValidator::State TokenSpinBox::validate(QString& input, int&) const {
  return parse(input) ? QValidator::Acceptable : QValidator::Intermediate;
}

ViewControls::ViewControls(Document* document, QWidget* parent)
    : QToolBar(parent), m_document(document) {
  setObjectName("viewControls");
  setWindowTitle(tr("View controls"));
  setAccessibleName(tr("View controls: layer, head, token and colors"));
  setMovable(false);
  setFloatable(false);
  buildChoosers();
  buildColors();
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &ViewControls::readModel);
  connect(&document->view(), &ViewState::changed, this, &ViewControls::readView);
  connect(document, &Document::inferenceChanged, this, &ViewControls::readLearned);
  connect(document, &Document::inferenceChanged, this, &ViewControls::refreshVisible);
  readModel();
}

std::vector<QAction*> ViewControls::addLabeled(const QString& label, QWidget* widget,
                                               const QString& name, const QString& tip) {
  auto* text = new QLabel(label, this);
  text->setBuddy(widget);
  text->setContentsMargins(6, 0, 4, 0);
  widget->setObjectName(name);
  widget->setToolTip(tip);
  widget->setAccessibleName(QString(label).remove(QLatin1Char('&')));
  return {addWidget(text), addWidget(widget)};
}

void ViewControls::addShown() {
  m_shown = new QComboBox(this);
  m_shown->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_shownActions =
      addLabeled(tr("Show"), m_shown, "viewShown",
                 tr("What is shown for each head: its attention in this image, or a map that the "
                    "mechanism has learned for all images (L)"));
  connect(m_shown, &QComboBox::activated, this, [this](int index) {
    const std::string name = m_shown->itemData(index).toString().toStdString();
    change([name](ViewOptions& view) { view.learned = name; });
  });
}

void ViewControls::addDecoder() {
  m_decoder = new QComboBox(this);
  m_decoder->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_decoderActions =
      addLabeled(tr("Decoder layer"), m_decoder, "viewDecoder",
                 tr("Show where the query of the clicked segment looks in a layer of the decoder, "
                    "in place of the head's map"));
  connect(m_decoder, &QComboBox::activated, this, [this](int index) {
    change([index](ViewOptions& view) { view.decoderLayer = index - 1; });
  });
}

void ViewControls::readDecoder() {
  const int layers = offeredDecoderLayers(*m_document);
  if (m_decoder->count() != layers + 1) {
    m_decoder->clear();
    m_decoder->addItem(tr("none"));
    for (int layer = 0; layer < layers; ++layer)
      m_decoder->addItem(QString::number(layer));
  }
  m_decoder->setCurrentIndex(std::min(m_document->view().options().decoderLayer + 1, layers));
}

void ViewControls::buildChoosers() {
  addShown();
  m_layer = new QSpinBox(this);
  m_layer->setKeyboardTracking(false);
  m_layerActions =
      addLabeled(tr("Layer"), m_layer, "viewLayer", tr("The layer that is shown ([ and ])"));
  m_head = new QComboBox(this);
  m_head->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_headActions = addLabeled(tr("Head"), m_head, "viewHead",
                             tr("The head that is shown, or the mean (comma and full stop)"));
  m_token = new TokenSpinBox(m_document, this);
  m_token->setKeyboardTracking(false);
  m_tokenActions =
      addLabeled(tr("Token"), m_token, "viewToken",
                 tr("The query token: click a patch on the canvas, or type its row and column, "
                    "\"4, 7\", or \"class\" where there is a class token"));
  addDecoder();
  connect(m_layer, &QSpinBox::valueChanged, this,
          [this](int layer) { change([layer](ViewOptions& view) { view.layer = layer; }); });
  connect(m_head, &QComboBox::activated, this,
          [this](int index) { change([index](ViewOptions& view) { view.head = index - 1; }); });
  connect(m_token, &QSpinBox::valueChanged, this,
          [this](int token) { change([token](ViewOptions& view) { view.query = token; }); });
}

void ViewControls::buildColors() {
  addSeparator();
  m_mapAction = addToggle("viewOverlay", tr("Map"), tr("Show the map over the image (O)"),
                          &ViewOptions::showOverlay);
  m_style = new QComboBox(this);
  m_style->setObjectName("viewStyle");
  m_style->setAccessibleName(tr("Style of the maps"));
  for (const MapStyleInfo& style : mapStyles()) {
    m_style->addItem(coreText(style.name));
    m_style->setItemData(m_style->count() - 1, coreText(style.help), Qt::ToolTipRole);
  }
  m_style->setToolTip(
      tr("How maps are drawn: the image lit where attention is high, the same in warm light, or a "
         "color map over the image (H)"));
  m_styleActions = {addWidget(m_style)};
  connect(m_style, &QComboBox::activated, this, [this](int index) {
    change([index](ViewOptions& view) { view.style = static_cast<MapStyle>(index); });
  });
  m_opacity = new QSlider(Qt::Horizontal, this);
  m_opacity->setObjectName("viewOpacity");
  m_opacity->setAccessibleName(tr("Strength of the map"));
  m_opacity->setToolTip(tr("How dark the image is outside the light; for an overlay, its opacity"));
  m_opacity->setRange(0, 100);
  m_opacity->setFixedWidth(56);
  m_styleActions.push_back(addWidget(m_opacity));
  m_colorMap = new QComboBox(this);
  m_colorMap->setObjectName("viewColorMap");
  m_colorMap->setAccessibleName(tr("Color map"));
  m_colorMap->setToolTip(tr("Colors of an overlay; diverging colors where negative values matter"));
  m_colorMap->setIconSize({18, 12});
  for (const ColorMapInfo& map : colorMaps())
    m_colorMap->addItem(swatch(map.map), QString::fromStdString(map.name));
  m_colorMapAction = addWidget(m_colorMap);
  m_smoothAction = addToggle("viewSmooth", tr("Smooth"),
                             tr("Blend neighboring patches; off: one block per patch (S)"),
                             &ViewOptions::smooth);
  m_sharedAction = addToggle(
      "viewShared", tr("Shared scale"),
      tr("One color scale for all layers and heads, so that they can be compared; off: each "
         "map has its own scale"),
      &ViewOptions::sharedRange);
  m_maskAction = addToggle("viewMask", tr("Mask"),
                           tr("Outline what the shown head's mask lets the token look at, and say "
                              "what it does to the rest (M)"),
                           &ViewOptions::maskOutline);
  m_objectsAction = addToggle("viewObjects", tr("Objects"),
                              tr("Box what a detector found, color what a segmenter found; a click "
                                 "on a label or a segment makes its token the query (Shift+O)"),
                              &ViewOptions::objectBoxes);
  m_objectsButton = m_toggles.back().first;
  m_truthAction = addToggle("viewTruth", tr("Truth"),
                            tr("Draw what the image's dataset says, in the colors of the classes: "
                               "boxes dashed, segments by their borders (Ctrl+Shift+B)"),
                            &ViewOptions::trueBoxes);
  connect(m_opacity, &QSlider::valueChanged, this, [this](int percent) {
    change([percent](ViewOptions& view) { overlayStrength(view) = percent / 100.0; });
  });
  connect(m_colorMap, &QComboBox::activated, this, [this](int index) {
    change([index](ViewOptions& view) { view.colorMap = static_cast<ColorMap>(index); });
  });
}

QAction* ViewControls::addToggle(const QString& name, const QString& text, const QString& tip,
                                 bool ViewOptions::*option) {
  auto* button = new QToolButton(this);
  button->setObjectName(name);
  button->setText(text);
  button->setToolTip(tip);
  button->setCheckable(true);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::TabFocus);
  connect(button, &QToolButton::toggled, this, [this, option](bool on) {
    change([option, on](ViewOptions& view) { view.*option = on; });
  });
  m_toggles.emplace_back(button, option);
  return addWidget(button);
}

void ViewControls::setUse(const ViewUse& use) {
  m_use = use;
  refreshVisible();
}

/// A choice that changes nothing on the page is not there.
void ViewControls::refreshVisible() {
  const auto show = [](const std::vector<QAction*>& actions, bool shown) {
    for (QAction* action : actions)
      action->setVisible(shown);
  };
  const ViewOptions& view = m_document->view().options();
  show(m_shownActions, m_use.learned && m_shown->count() > 1);
  show(m_layerActions, m_use.layer);
  show(m_headActions, m_use.head);
  show(m_tokenActions, m_use.token);
  show({m_mapAction}, m_use.map);
  show(m_styleActions, m_use.colors);
  show({m_colorMapAction},
       m_use.colors && (view.style == MapStyle::Overlay || !view.learned.empty()));
  show({m_smoothAction}, m_use.smooth);
  show({m_sharedAction}, m_use.sharedScale);
  show({m_maskAction}, m_use.mask);
  const bool segments = showsSegments(*m_document);
  readDecoder();
  show(m_decoderActions, m_use.objects && offeredDecoderLayers(*m_document) > 0);
  show({m_objectsAction}, m_use.objects && (showsObjects(*m_document) || segments));
  show({m_truthAction},
       m_use.objects && (showsTruth(*m_document) || showsTrueSegments(*m_document)));
  m_objectsButton->setText(segments ? tr("Segments") : tr("Objects"));
}

void ViewControls::change(const std::function<void(ViewOptions&)>& edit) {
  if (!m_reading) m_document->view().change(edit);
}

void ViewControls::readModel() {
  m_reading = true;
  const bool open = m_document->inputs().hasModel();
  for (QWidget* widget : std::initializer_list<QWidget*>{m_layer, m_head, m_token})
    widget->setEnabled(open);
  const int layers = open ? static_cast<int>(m_document->inputs().model().heads.size()) : 0;
  m_layer->setRange(0, std::max(layers - 1, 0));
  m_token->setRange(0, open ? m_document->inputs().model().grid.tokens() - 1 : 0);
  m_reading = false;
  if (!m_document->inference()) m_shown->clear();  // of the model before
  readLearned();
  readView();
}

/// While there is no result, as between two images of one model, the choice stays.
void ViewControls::readLearned() {
  if (const auto inference = m_document->inference(); inference && !offers(inference->learned)) {
    m_shown->clear();
    m_shown->addItem(tr("attention"), QString());
    for (const LearnedMap& map : inference->learned)
      m_shown->addItem(coreText(map.title), QString::fromStdString(map.name));
  }
  refreshVisible();
  readShown();
}

/// Whether these are the choices already: results arrive often, also while the list is open.
bool ViewControls::offers(const std::vector<LearnedMap>& maps) const {
  if (m_shown->count() != static_cast<int>(maps.size()) + 1) return false;
  for (std::size_t i = 0; i < maps.size(); ++i)
    if (m_shown->itemData(static_cast<int>(i) + 1).toString().toStdString() != maps[i].name)
      return false;
  return true;
}

void ViewControls::readShown() {
  const int index = m_shown->findData(QString::fromStdString(m_document->view().options().learned));
  if (m_shown->count() > 0) m_shown->setCurrentIndex(std::max(index, 0));
}

void ViewControls::readView() {
  m_reading = true;
  const ViewOptions& view = m_document->view().options();
  const bool attends =
      m_document->inputs().hasModel() && !m_document->inputs().model().heads.empty();
  const int heads =
      attends ? m_document->inputs().model().heads[static_cast<std::size_t>(view.layer)] : 0;
  if (m_head->count() != heads + 1) {
    m_head->clear();
    m_head->addItem(tr("mean"));
    for (int head = 0; head < heads; ++head)
      m_head->addItem(QString::number(head));
  }
  readShown();
  m_layer->setValue(view.layer);
  m_head->setCurrentIndex(view.head + 1);
  m_token->setValue(view.query);
  ViewOptions now = view;
  m_opacity->setValue(qRound(overlayStrength(now) * 100));
  m_style->setCurrentIndex(static_cast<int>(view.style));
  refreshVisible();
  m_colorMap->setCurrentIndex(static_cast<int>(view.colorMap));
  for (const auto& [button, option] : m_toggles)
    button->setChecked(view.*option);
  m_opacity->setEnabled(view.showOverlay);
  m_reading = false;
}

}  // namespace headlight
