// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mechanisms/SpherePage.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/base/CoreText.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/AnglesBridge.h"
#include "ui/document/Document.h"
#include "ui/document/ModelText.h"
#include "ui/mechanisms/SphereImageView.h"
#include "ui/widgets/LabeledFields.h"
#include "ui/widgets/MessageLabel.h"

namespace headlight {
namespace {

bool sameSphere(const SphereOptions& a, const SphereOptions& b) {
  return a.layer == b.layer && a.head == b.head && a.dimensions == b.dimensions &&
         a.token == b.token;
}

}  // namespace

struct SpherePage::Answer {
  std::shared_ptr<const SphereTable> table;
  QString error;
};

SpherePage::SpherePage(const Document* document, AnglesBridge* bridge, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_bridge(bridge),
      m_dimensions(new QComboBox(this)),
      m_heads(new QComboBox(this)),
      m_state(new QLabel(this)),
      m_view(new SphereImageView(this)),
      m_task(this) {
  setObjectName(QStringLiteral("spherePage"));
  m_state->setObjectName(QStringLiteral("sphereState"));
  m_state->setTextFormat(Qt::PlainText);
  m_state->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(makeFields());
  layout->addWidget(m_state);
  layout->addWidget(m_view, 1);
  for (QComboBox* box : {m_dimensions, m_heads})
    connect(box, &QComboBox::currentIndexChanged, this, &SpherePage::request);
  connect(document, &Document::inferenceChanged, this, &SpherePage::request);
  connect(document, &Document::staleChanged, this, &SpherePage::request);
  connect(&document->view(), &ViewState::changed, this, &SpherePage::request);
  connect(bridge, &AnglesBridge::changed, this, &SpherePage::follow);
  refresh();
}

QLayout* SpherePage::makeFields() {
  m_dimensions->setObjectName(QStringLiteral("sphereDimensions"));
  m_dimensions->setAccessibleName(tr("Dimensions"));
  m_dimensions->addItems({tr("2: the circle"), tr("3: the sphere")});
  m_dimensions->setToolTip(plainToolTip(
      tr("Axes: the first principal components of the head's queries and keys of length 1, about "
         "the origin. Drag the sphere or use the arrow keys to turn it.")));
  m_heads->setObjectName(QStringLiteral("sphereHeads"));
  m_heads->setAccessibleName(tr("Heads"));
  m_heads->addItems({tr("the head shown"), tr("each head of the layer")});
  m_heads->setToolTip(
      plainToolTip(tr("Each head has axes of its own. The window sets layer, head and token.")));
  auto* row = new QHBoxLayout;
  addLabeledField(row, tr("&Dimensions"), m_dimensions);
  addLabeledField(row, tr("&Heads"), m_heads);
  row->addStretch();
  return row;
}

void SpherePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  request();
}

SphereOptions SpherePage::options() const {
  const ViewOptions& view = m_document->view().options();
  SphereOptions options;
  options.layer = view.layer;
  options.head = m_heads->currentIndex() == 1 ? -1 : view.head;
  options.dimensions = m_dimensions->currentIndex() == 1 ? 3 : 2;
  options.token = view.query;
  return options;
}

QString SpherePage::subject() const {
  const QString model = modelTitle(m_document->inputs().model());
  return tr("%1, %2").arg(displayName(m_document->inputs().imageName()), model);
}

QString SpherePage::stateText() const {
  return m_state->text();
}

/// A hidden page computes nothing. The bridge has the queries and keys of the image.
void SpherePage::request() {
  if (!isVisible()) return;
  m_bridge->request();
  follow();
}

void SpherePage::forget() {
  m_task.cancel();
  m_pairs.reset();
  m_table.reset();
  m_error.clear();
  m_view->setTable(nullptr, QString());
  refresh();
}

void SpherePage::follow() {
  const auto result = m_bridge->result();
  if (!result || !result->pairs || result->inference != m_document->inference()) return forget();
  if (!isVisible()) return;
  const SphereOptions wanted = options();
  if (m_pairs == result->pairs && sameSphere(m_asked, wanted)) return;
  m_pairs = result->pairs;
  m_asked = wanted;
  m_error.clear();
  m_task.run<Answer>(
      [pairs = m_pairs, wanted](std::stop_token stop) {
        Answer answer;
        auto table = sphereTable(*pairs, wanted, stop);
        if (table)
          answer.table = std::make_shared<const SphereTable>(std::move(*table));
        else
          answer.error = QString::fromStdString(table.error().text());
        return answer;
      },
      [this](const Answer& answer) { take(answer); });
  refresh();
}

void SpherePage::take(const Answer& answer) {
  m_table = answer.table;
  m_error = answer.error;
  m_view->setTable(m_table, m_table ? subject() : QString());
  refresh();
}

void SpherePage::refresh() {
  const auto result = m_bridge->result();
  QString text;
  if (result && !result->error.isEmpty())
    text = result->error;
  else if (!m_error.isEmpty())
    text = m_error;
  else if (m_table)
    text = tr("%1 · %2%3")
               .arg(subject(), coreText(m_table->subject),
                    m_table->note.empty() ? QString()
                                          : QStringLiteral("; ") + coreText(m_table->note));
  else if (m_bridge->isBusy() || m_task.isBusy())
    text = tr("Comparing queries and keys…");
  else
    text = tr("Open a model and an image to show its queries and keys on the sphere.");
  m_state->setText(text);
  Q_EMIT changed();
}

void SpherePage::save(const QString& path, MessageLabel* status) const {
  if (m_table)
    status->reportSaved(
        path, writeSphere(path.toStdString(), *m_table, m_view->view(), subject().toStdString()));
}

}  // namespace headlight
