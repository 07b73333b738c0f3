// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mechanisms/AnglesPage.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include "core/workbench/figures/AngularFigure.h"
#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/AnglesBridge.h"
#include "ui/document/Document.h"
#include "ui/document/ModelText.h"
#include "ui/plots/PanelsPlot.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

constexpr int kMostTerms = 50;

}  // namespace

AnglesPage::AnglesPage(const Document* document, AnglesBridge* bridge, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_bridge(bridge),
      m_pairs(new QComboBox(this)),
      m_terms(new QSpinBox(this)),
      m_state(new QLabel(this)),
      m_plot(new PanelsPlot(tr("degrees"), 0, 180, this)) {
  setObjectName(QStringLiteral("anglesPage"));
  m_pairs->setObjectName(QStringLiteral("anglesPairs"));
  m_pairs->setAccessibleName(tr("Query-key pairs compared"));
  m_pairs->addItems({tr("the layer and head shown"), tr("all layers and heads")});
  m_pairs->setToolTip(plainToolTip(
      tr("Selects the pairs whose angles are counted, and on which kernels that depend on more "
         "than the angle are measured. The window sets layer, head and token.")));
  m_terms->setObjectName(QStringLiteral("anglesTerms"));
  m_terms->setAccessibleName(tr("Terms of the series"));
  m_terms->setRange(0, kMostTerms);
  m_terms->setValue(3);
  m_terms->setToolTip(
      plainToolTip(tr("Number of terms of the sum in Eq. 8, beyond the linear terms")));
  m_state->setObjectName(QStringLiteral("anglesState"));
  m_state->setTextFormat(Qt::PlainText);
  m_state->setWordWrap(true);
  m_plot->setObjectName(QStringLiteral("anglesPlot"));
  m_plot->setAccessibleName(tr("Kernels by angle between query and key"));
  m_plot->setToolTip(tr("The angular kernel is 1 − θ/π; its linear terms are ½ + cos θ/π. The "
                        "residual is their difference (Castling-ViT, Eq. 5 and 8).\n") +
                     m_plot->toolTip());
  auto* row = new QHBoxLayout;
  addLabeledField(row, tr("&Pairs of"), m_pairs);
  addLabeledField(row, tr("&Terms of the series"), m_terms);
  row->addStretch();
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(row);
  layout->addWidget(m_state);
  layout->addWidget(m_plot, 1);
  connect(m_pairs, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_bridge->setEverything(index == 1);
    request();
  });
  connect(m_terms, &QSpinBox::valueChanged, this, &AnglesPage::refresh);
  connect(document, &Document::inferenceChanged, this, &AnglesPage::request);
  connect(document, &Document::staleChanged, this, &AnglesPage::request);
  connect(&document->view(), &ViewState::changed, this, &AnglesPage::request);
  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &AnglesPage::request);
  connect(&document->inputs(), &InferenceInputs::imageChanged, this, &AnglesPage::request);
  connect(bridge, &AnglesBridge::changed, this, &AnglesPage::refresh);
  refresh();
}

void AnglesPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  request();
}

/// A hidden page computes nothing.
void AnglesPage::request() {
  if (isVisible()) m_bridge->request();
}

const AngleTable* AnglesPage::table() const {
  const auto result = m_bridge->result();
  return result ? result->table.get() : nullptr;
}

QString AnglesPage::subject() const {
  const QString model = modelTitle(m_document->inputs().model());
  return tr("%1, %2").arg(displayName(m_document->inputs().imageName()), model);
}

QString AnglesPage::stateText() const {
  return m_state->text();
}

void AnglesPage::refresh() {
  const auto result = m_bridge->result();
  const AngleTable* found = table();
  std::vector<AnglePanel> panels{expansionPanel(m_terms->value()), kernelsPanel(found)};
  if (found) panels.push_back(imagePanel(*found));
  m_plot->setPanels(panels);
  QString text;
  if (result && !result->error.isEmpty())
    text = result->error;
  else if (found)
    text = tr("%1 · %2: %3").arg(subject(), coreText(found->subject), coreText(anglesText(*found)));
  else if (m_bridge->isBusy())
    text = tr("Comparing queries and keys…");
  else
    text = tr("Open a model and an image to show the angles between queries and keys.");
  m_state->setText(text);
}

void AnglesPage::save(const QString& path, MessageLabel* status) const {
  const AngleTable* found = table();
  status->reportSaved(path, writeAngles(path.toStdString(), m_terms->value(), found,
                                        found ? subject().toStdString() : std::string()));
}

}  // namespace headlight
