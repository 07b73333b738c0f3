// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/attribution/ExplanationView.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/attribution/DepthPlot.h"
#include "ui/attribution/ObjectOptionsButton.h"
#include "ui/base/Actions.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ExplanationBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

const ExplanationInfo& chosenExplanation(const Document& document) {
  const ExplanationInfo* method = explanationFromName(document.view().options().method.name);
  return method ? *method : explanationMethods().front();
}

}  // namespace

ExplanationView::ExplanationView(Document* document, ModelWorker* inference, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_bridge(new ExplanationBridge(
          document, [inference] { return inference->session(); }, this)),
      m_explanations(new QComboBox(this)),
      m_classes(new QComboBox(this)),
      m_classLabel(new QLabel(tr("Class"), this)),
      m_layerLabel(new QLabel(tr("Layer"), this)),
      m_state(new QLabel(this)),
      m_layer(new QSpinBox(this)),
      m_foreground(new QCheckBox(tr("&Foreground only"), this)),
      m_progress(new ProgressLine(tr("Progress of the explanation"), this)),
      m_objects(new ObjectOptionsButton(document, this)),
      m_alone(new QToolButton(this)),
      m_judge(new QToolButton(this)),
      m_pages(new QStackedWidget(this)),
      m_image(new ExplanationImage(document, m_bridge, this)),
      m_depth(new RunCurvesPlot(this)) {
  setObjectName(QStringLiteral("waysView"));
  setAccessibleName(tr("Explain"));
  m_explanations->setObjectName(QStringLiteral("explanations"));
  m_explanations->setAccessibleName(tr("Explanation method"));
  for (const ExplanationInfo& method : explanationMethods()) {
    m_explanations->addItem(coreText(method.title), QString::fromStdString(method.name));
    m_explanations->setItemData(m_explanations->count() - 1, coreText(method.help),
                                Qt::ToolTipRole);
  }
  m_classes->setObjectName(QStringLiteral("wayClass"));
  m_classes->setAccessibleName(tr("Class to explain"));
  m_classes->setToolTip(plainToolTip(
      tr("The class to explain. Type a part of its name, or click a line of the prediction.")));
  m_classes->setEditable(true);
  m_classes->setInsertPolicy(QComboBox::NoInsert);
  m_classes->completer()->setCompletionMode(QCompleter::PopupCompletion);
  m_classes->completer()->setFilterMode(Qt::MatchContains);
  m_classes->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_classes->setMinimumContentsLength(16);
  m_layer->setObjectName(QStringLiteral("wayLayer"));
  m_layer->setAccessibleName(tr("Layer to explain"));
  m_layer->setSpecialValueText(tr("last"));
  m_layer->setMinimum(-1);
  m_foreground->setObjectName(QStringLiteral("wayForeground"));
  m_foreground->setToolTip(
      plainToolTip(tr("Color only foreground patches (by the first principal component)")));
  m_alone->setObjectName(QStringLiteral("wayAlone"));
  m_alone->setText(tr("This image only"));
  m_alone->setToolTip(plainToolTip(tr("Compute the colors from this image only")));
  m_judge->setObjectName(QStringLiteral("wayJudge"));
  m_judge->setText(tr("Fait&hfulness"));
  m_judge->setToolTip(plainToolTip(
      tr("Test the heatmap by deletion and insertion (Petsiuk et al. 2018): remove patches in "
         "falling order of heat, or add them to an empty image in that order. Shows the mean "
         "probability of the class, beside random order. Press again to stop.")));
  m_state->setObjectName(QStringLiteral("wayState"));
  m_state->setTextFormat(Qt::PlainText);
  m_state->setWordWrap(true);  // the window has to fit small screens
  m_progress->setMaximumWidth(180);
  m_classLabel->setBuddy(m_classes);
  m_layerLabel->setBuddy(m_layer);
  m_depth->setObjectName(QStringLiteral("wayDepth"));
  m_depth->setAccessibleName(tr("Class probabilities by layer"));

  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 4);
  row->setSpacing(8);
  for (QWidget* part : {static_cast<QWidget*>(m_explanations), static_cast<QWidget*>(m_classLabel),
                        static_cast<QWidget*>(m_classes), static_cast<QWidget*>(m_layerLabel),
                        static_cast<QWidget*>(m_layer), static_cast<QWidget*>(m_objects),
                        static_cast<QWidget*>(m_foreground), static_cast<QWidget*>(m_alone),
                        static_cast<QWidget*>(m_judge)})
    row->addWidget(part);
  row->addStretch();
  auto* below = new QHBoxLayout;
  below->setContentsMargins(8, 0, 8, 4);
  below->addWidget(m_state, 1);
  below->addWidget(m_progress);
  m_pages->addWidget(m_image);
  m_pages->addWidget(m_depth);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(row);
  layout->addLayout(below);
  layout->addWidget(m_pages, 1);

  makeCommands();
  connect(m_explanations, &QComboBox::activated, this,
          [this](int index) { choose(m_explanations->itemData(index).toString()); });
  connect(m_classes, &QComboBox::activated, this, [this](int index) {
    m_document->view().change([index](ViewOptions& view) { view.method.classIndex = index - 1; });
  });
  connect(m_classes->lineEdit(), &QLineEdit::editingFinished, this, &ExplanationView::chooseClass);
  connect(m_layer, &QSpinBox::valueChanged, this, [this](int layer) {
    m_document->view().change([layer](ViewOptions& view) { view.method.layer = layer; });
  });
  connect(m_foreground, &QCheckBox::toggled, this, [this](bool on) {
    m_document->view().change([on](ViewOptions& view) { view.method.foreground = on; });
  });
  connect(m_alone, &QToolButton::clicked, this, [this] {
    m_bridge->setTogether({});
    request();
    readView();
  });
  connect(m_judge, &QToolButton::clicked, this, [this] {
    if (const auto heatmap = m_image->heatmap()) m_bridge->judge(*heatmap);
  });
  connect(m_bridge, &ExplanationBridge::judged, this, &ExplanationView::showJudgment);
  connect(m_bridge, &ExplanationBridge::judgmentFailed, m_state, &QLabel::setText);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &ExplanationView::fillClasses);
  for (const auto signal : {&Document::inferenceChanged, &Document::staleChanged})
    connect(document, signal, this, &ExplanationView::request);
  connect(&document->view(), &ViewState::changed, this, [this] {
    readView();
    request();
  });
  connect(m_bridge, &ExplanationBridge::changed, this, &ExplanationView::refresh);
  connect(m_bridge, &ExplanationBridge::progressed, this,
          [this] { m_progress->setProgress(m_bridge->progress()); });
  fillClasses();
}

void ExplanationView::makeCommands() {
  for (const ExplanationInfo& method : explanationMethods()) {
    const QString name = QString::fromStdString(method.name);
    m_commands << makeCommand(this,
                              {QStringLiteral("view.way.") + name,
                               tr("Explain by %1").arg(coreText(method.title)),
                               coreText(method.help),
                               QString::fromStdString(method.keys),
                               {}},
                              [this, name] {
                                choose(name);
                                Q_EMIT chosen();
                              });
  }
}

void ExplanationView::choose(const QString& name) {
  m_document->view().change([&](ViewOptions& view) { view.method.name = name.toStdString(); });
}

void ExplanationView::showTogether(const QStringList& paths) {
  m_bridge->setTogether(paths);
  choose(QString::fromStdString(explanationOfKind(ExplanationKind::Colors).name));
  Q_EMIT chosen();
  request();
  readView();
}

void ExplanationView::fillClasses() {
  const QSignalBlocker quiet(m_classes);
  m_classes->clear();
  m_classes->addItem(tr("predicted class"));
  const int classes =
      m_document->inputs().hasModel() ? m_document->inputs().model().experiment.model.classes : 0;
  QStringList names;
  for (int i = 0; i < classes; ++i)
    names << displayName(findClassName(m_document->inputs().model(), i));
  m_classes->addItems(names);
  readView();
}

/// Accepts a class name, or a part of it that only one class contains. Otherwise the choice stays
/// and an error is shown.
void ExplanationView::chooseClass() {
  const QString typed = m_classes->currentText().trimmed();
  int found = typed.isEmpty() ? 0 : m_classes->findText(typed, Qt::MatchFixedString);
  QString why;
  if (found < 0 && m_document->inputs().hasModel()) {
    const auto index = classFromText(typed.toStdString(), m_document->inputs().model());
    found = index ? *index + 1 : onlyWith(typed);
    if (!index) why = QString::fromStdString(index.error().text());
  }
  if (found >= 0)
    m_document->view().change([found](ViewOptions& view) { view.method.classIndex = found - 1; });
  else if (!why.isEmpty())
    Q_EMIT m_document->failed(tr("Unknown class"), why);
  readView();
}

/// The only entry that contains `part`; −1: none or several.
int ExplanationView::onlyWith(const QString& part) const {
  int only = -1;
  for (int i = 1; i < m_classes->count(); ++i) {
    if (!m_classes->itemText(i).contains(part, Qt::CaseInsensitive)) continue;
    if (only >= 0) return -1;
    only = i;
  }
  return only;
}

void ExplanationView::readView() {
  const ExplanationChoice& choice = m_document->view().options().method;
  const ExplanationInfo& method = chosenExplanation(*m_document);
  const QSignalBlocker quietClasses(m_classes), quietLayer(m_layer), quietMark(m_foreground);
  m_explanations->setCurrentIndex(m_explanations->findData(QString::fromStdString(method.name)));
  m_explanations->setToolTip(plainToolTip(coreText(method.help)));
  m_classes->setCurrentIndex(choice.classIndex + 1);
  m_layer->setMaximum(m_document->inputs().hasModel()
                          ? static_cast<int>(m_document->inputs().model().heads.size()) - 1
                          : 0);
  m_layer->setValue(choice.layer);
  m_foreground->setChecked(choice.foreground);
  const bool colors = method.kind == ExplanationKind::Colors;
  m_classLabel->setVisible(method.ofClass);
  m_classes->setVisible(method.ofClass);
  m_layerLabel->setVisible(method.ofLayer);
  m_layer->setVisible(method.ofLayer);
  m_objects->setVisible(method.marksObject);
  m_objects->readView();
  m_foreground->setVisible(colors);
  m_alone->setVisible(colors && !m_bridge->together().isEmpty());
  m_pages->setCurrentWidget(method.kind == ExplanationKind::Curve ? static_cast<QWidget*>(m_depth)
                                                                  : m_image);
  refreshDepth();
}

void ExplanationView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  request();
}

/// A hidden page computes nothing.
void ExplanationView::request() {
  if (isVisible()) m_bridge->request();
}

void ExplanationView::refresh() {
  const bool busy = m_bridge->isBusy() || m_bridge->isJudging();
  // Faithfulness is measured by what the model says of the image, not by one box.
  const auto heatmap = m_image->heatmap();
  m_judge->setVisible(heatmap && heatmap->cell < 0 && !heatmap->box &&
                      m_document->inputs().model().experiment.model.classes > 0);
  if (m_bridge->isBusy()) m_state->clear();
  m_progress->setVisible(busy);
  if (busy)
    m_progress->setProgress(m_bridge->progress());
  else
    m_progress->clear();
  refreshDepth();
}

void ExplanationView::showJudgment(const FaithfulnessTable& table) {
  const auto share = [](double area) { return QString::number(area, 'f', 3); };
  const Faithfulness &own = table.methods.front(), &random = table.random;
  m_state->setText(tr("%1: deletion %2 (random %3) · insertion %4 (random %5)")
                       .arg(displayName(table.className), share(own.deletion.area),
                            share(random.deletion.area), share(own.insertion.area),
                            share(random.insertion.area)));
  m_state->setToolTip(plainToolTip(m_state->text()));
}

void ExplanationView::refreshDepth() {
  if (chosenExplanation(*m_document).kind != ExplanationKind::Curve ||
      !m_document->inputs().hasModel())
    return;
  const auto result = m_bridge->result();
  m_state->setText(result && result->depth ? coreText(result->depth->note) : QString());
  showDepth(*m_depth, *m_document, *m_bridge);
}

}  // namespace headlight
