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
#include "ui/base/Actions.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ExplanationBridge.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/plots/RunCurvesPlot.h"
#include "ui/widgets/ProgressLine.h"

namespace headlight {
namespace {

QString keysOf(ExplanationMethod way) {
  switch (way) {
    case ExplanationMethod::Relevance:
      return QStringLiteral("Ctrl+W, R");
    case ExplanationMethod::AttentionGradient:
      return QStringLiteral("Ctrl+W, A");
    case ExplanationMethod::GradCam:
      return QStringLiteral("Ctrl+W, G");
    case ExplanationMethod::Similarity:
      return QStringLiteral("Ctrl+W, S");
    case ExplanationMethod::Features:
      return QStringLiteral("Ctrl+W, F");
    case ExplanationMethod::Depth:
      return QStringLiteral("Ctrl+W, D");
  }
  return {};
}

const ExplanationInfo& chosenExplanation(const Document& document) {
  const ExplanationInfo* way = wayFromName(document.view().way.name);
  return way ? *way : waysOfLooking().front();
}

}  // namespace

ExplanationView::ExplanationView(Document* document, ModelWorker* look, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_bridge(new ExplanationBridge(
          document, [look] { return look->session(); }, this)),
      m_ways(new QComboBox(this)),
      m_classes(new QComboBox(this)),
      m_classLabel(new QLabel(tr("Class"), this)),
      m_layerLabel(new QLabel(tr("Layer"), this)),
      m_state(new QLabel(this)),
      m_layer(new QSpinBox(this)),
      m_foreground(new QCheckBox(tr("&Foreground alone"), this)),
      m_progress(new ProgressLine(tr("Progress of this way of looking"), this)),
      m_alone(new QToolButton(this)),
      m_judge(new QToolButton(this)),
      m_pages(new QStackedWidget(this)),
      m_picture(new ExplanationImage(document, m_bridge, this)),
      m_depth(new RunCurvesPlot(this)) {
  setObjectName(QStringLiteral("waysView"));
  setAccessibleName(tr("Other ways of looking"));
  m_ways->setObjectName(QStringLiteral("ways"));
  m_ways->setAccessibleName(tr("Way of looking"));
  for (const ExplanationInfo& way : waysOfLooking()) {
    m_ways->addItem(QString::fromStdString(way.title), QString::fromStdString(way.name));
    m_ways->setItemData(m_ways->count() - 1, QString::fromStdString(way.help), Qt::ToolTipRole);
  }
  m_classes->setObjectName(QStringLiteral("wayClass"));
  m_classes->setAccessibleName(tr("Class that is asked about"));
  m_classes->setToolTip(plainToolTip(
      tr("The class that is asked about: type a part of its name. A click on a line of "
         "the prediction chooses that class.")));
  m_classes->setEditable(true);
  m_classes->setInsertPolicy(QComboBox::NoInsert);
  m_classes->completer()->setCompletionMode(QCompleter::PopupCompletion);
  m_classes->completer()->setFilterMode(Qt::MatchContains);
  m_classes->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_classes->setMinimumContentsLength(16);
  m_layer->setObjectName(QStringLiteral("wayLayer"));
  m_layer->setAccessibleName(tr("Layer that is asked about"));
  m_layer->setSpecialValueText(tr("last"));
  m_layer->setMinimum(-1);
  m_foreground->setObjectName(QStringLiteral("wayForeground"));
  m_foreground->setToolTip(plainToolTip(
      tr("Colours of the patches alone that the first principal component of all calls "
         "foreground")));
  m_alone->setObjectName(QStringLiteral("wayAlone"));
  m_alone->setText(tr("This picture alone"));
  m_alone->setToolTip(plainToolTip(tr("Colours of this picture by itself")));
  m_judge->setObjectName(QStringLiteral("wayJudge"));
  m_judge->setText(tr("Fait&hfulness"));
  m_judge->setToolTip(plainToolTip(
      tr("Takes patches out in falling order of heat, and puts them into an empty picture in that "
         "order (Petsiuk et al. 2018): the mean probability of the class, beside random order. "
         "Pressed again, it stops.")));
  m_state->setObjectName(QStringLiteral("wayState"));
  m_state->setTextFormat(Qt::PlainText);
  m_state->setWordWrap(true);  // the window has to fit small screens
  m_progress->setMaximumWidth(180);
  m_classLabel->setBuddy(m_classes);
  m_layerLabel->setBuddy(m_layer);
  m_depth->setObjectName(QStringLiteral("wayDepth"));
  m_depth->setAccessibleName(tr("Prediction by depth"));

  auto* row = new QHBoxLayout;
  row->setContentsMargins(8, 4, 8, 4);
  row->setSpacing(8);
  for (QWidget* part : {static_cast<QWidget*>(m_ways), static_cast<QWidget*>(m_classLabel),
                        static_cast<QWidget*>(m_classes), static_cast<QWidget*>(m_layerLabel),
                        static_cast<QWidget*>(m_layer), static_cast<QWidget*>(m_foreground),
                        static_cast<QWidget*>(m_alone), static_cast<QWidget*>(m_judge)})
    row->addWidget(part);
  row->addStretch();
  auto* below = new QHBoxLayout;
  below->setContentsMargins(8, 0, 8, 4);
  below->addWidget(m_state, 1);
  below->addWidget(m_progress);
  m_pages->addWidget(m_picture);
  m_pages->addWidget(m_depth);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(row);
  layout->addLayout(below);
  layout->addWidget(m_pages, 1);

  makeCommands();
  connect(m_ways, &QComboBox::activated, this,
          [this](int index) { choose(m_ways->itemData(index).toString()); });
  connect(m_classes, &QComboBox::activated, this, [this](int index) {
    m_document->changeView([index](ViewOptions& view) { view.way.classIndex = index - 1; });
  });
  connect(m_classes->lineEdit(), &QLineEdit::editingFinished, this, &ExplanationView::chooseClass);
  connect(m_layer, &QSpinBox::valueChanged, this, [this](int layer) {
    m_document->changeView([layer](ViewOptions& view) { view.way.layer = layer; });
  });
  connect(m_foreground, &QCheckBox::toggled, this, [this](bool on) {
    m_document->changeView([on](ViewOptions& view) { view.way.foreground = on; });
  });
  connect(m_alone, &QToolButton::clicked, this, [this] {
    m_bridge->setTogether({});
    request();
    readView();
  });
  connect(m_judge, &QToolButton::clicked, this, [this] {
    if (const auto heat = m_picture->heat()) m_bridge->judge(*heat);
  });
  connect(m_bridge, &ExplanationBridge::judged, this, &ExplanationView::showJudgement);
  connect(m_bridge, &ExplanationBridge::judgementFailed, m_state, &QLabel::setText);
  connect(document, &Document::modelChanged, this, &ExplanationView::fillClasses);
  for (const auto signal : {&Document::lookChanged, &Document::staleChanged})
    connect(document, signal, this, &ExplanationView::request);
  connect(document, &Document::viewChanged, this, [this] {
    readView();
    request();
  });
  connect(m_bridge, &ExplanationBridge::changed, this, &ExplanationView::refresh);
  connect(m_bridge, &ExplanationBridge::progressed, this,
          [this] { m_progress->setProgress(m_bridge->progress()); });
  fillClasses();
}

void ExplanationView::makeCommands() {
  for (const ExplanationInfo& way : waysOfLooking()) {
    const QString name = QString::fromStdString(way.name);
    m_commands << makeCommand(this,
                              {QStringLiteral("view.way.") + name,
                               tr("Look by %1").arg(QString::fromStdString(way.title)),
                               QString::fromStdString(way.help),
                               keysOf(way.way),
                               {}},
                              [this, name] {
                                choose(name);
                                Q_EMIT chosen();
                              });
  }
}

void ExplanationView::choose(const QString& name) {
  m_document->changeView([&](ViewOptions& view) { view.way.name = name.toStdString(); });
}

void ExplanationView::showTogether(const QStringList& paths) {
  m_bridge->setTogether(paths);
  choose(QString::fromStdString(infoOf(ExplanationMethod::Features).name));
  Q_EMIT chosen();
  request();
  readView();
}

void ExplanationView::fillClasses() {
  const QSignalBlocker quiet(m_classes);
  m_classes->clear();
  m_classes->addItem(tr("predicted class"));
  const int classes = m_document->hasModel() ? m_document->model().experiment.model.classes : 0;
  QStringList names;
  for (int i = 0; i < classes; ++i)
    names << displayName(classNameOf(m_document->model(), i));
  m_classes->addItems(names);
  readView();
}

/// What was typed names a class, in part too where that is of one alone; else the choice stays, and
/// it is said.
void ExplanationView::chooseClass() {
  const QString typed = m_classes->currentText().trimmed();
  int found = typed.isEmpty() ? 0 : m_classes->findText(typed, Qt::MatchFixedString);
  QString why;
  if (found < 0 && m_document->hasModel()) {
    const auto index = classFromText(typed.toStdString(), m_document->model());
    found = index ? *index + 1 : onlyWith(typed);
    if (!index) why = QString::fromStdString(index.error().text());
  }
  if (found >= 0)
    m_document->changeView([found](ViewOptions& view) { view.way.classIndex = found - 1; });
  else if (!why.isEmpty())
    Q_EMIT m_document->failed(tr("No such class"), why);
  readView();
}

/// The entry that alone has `part` in it; −1: none, or several.
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
  const ExplanationChoice& choice = m_document->view().way;
  const ExplanationInfo& way = chosenExplanation(*m_document);
  const QSignalBlocker quietClasses(m_classes), quietLayer(m_layer), quietMark(m_foreground);
  m_ways->setCurrentIndex(m_ways->findData(QString::fromStdString(way.name)));
  m_ways->setToolTip(plainToolTip(QString::fromStdString(way.help)));
  m_classes->setCurrentIndex(choice.classIndex + 1);
  m_layer->setMaximum(
      m_document->hasModel() ? static_cast<int>(m_document->model().heads.size()) - 1 : 0);
  m_layer->setValue(choice.layer);
  m_foreground->setChecked(choice.foreground);
  const bool features = way.way == ExplanationMethod::Features;
  m_classLabel->setVisible(way.ofClass);
  m_classes->setVisible(way.ofClass);
  m_layerLabel->setVisible(way.ofLayer);
  m_layer->setVisible(way.ofLayer);
  m_foreground->setVisible(features);
  m_alone->setVisible(features && !m_bridge->together().isEmpty());
  m_pages->setCurrentWidget(way.way == ExplanationMethod::Depth ? static_cast<QWidget*>(m_depth)
                                                                : m_picture);
  refreshDepth();
}

void ExplanationView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  request();
}

/// A hidden page costs nothing.
void ExplanationView::request() {
  if (isVisible()) m_bridge->request();
}

void ExplanationView::refresh() {
  const bool busy = m_bridge->isBusy() || m_bridge->isJudging();
  const bool heat = m_picture->heat().has_value();
  m_judge->setVisible(heat && m_document->model().experiment.model.classes > 0);
  if (m_bridge->isBusy()) m_state->clear();
  m_progress->setVisible(busy);
  if (busy)
    m_progress->setProgress(m_bridge->progress());
  else
    m_progress->clear();
  refreshDepth();
}

void ExplanationView::showJudgement(const FaithfulnessTable& table) {
  const auto share = [](double area) { return QString::number(area, 'f', 3); };
  const Faithfulness &own = table.methods.front(), &random = table.random;
  m_state->setText(tr("%1: deletion %2 (random %3) · insertion %4 (random %5)")
                       .arg(displayName(table.className), share(own.deletion.area),
                            share(random.deletion.area), share(own.insertion.area),
                            share(random.insertion.area)));
  m_state->setToolTip(plainToolTip(m_state->text()));
}

void ExplanationView::refreshDepth() {
  if (chosenExplanation(*m_document).way != ExplanationMethod::Depth || !m_document->hasModel())
    return;
  const auto result = m_bridge->result();
  m_state->setText(result && result->depth ? QString::fromStdString(result->depth->note)
                                           : QString());
  showDepth(*m_depth, *m_document, *m_bridge);
}

}  // namespace headlight
