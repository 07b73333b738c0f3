// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/StatusLine.h"

#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QToolButton>

#include <unistd.h>

#include "core/models/Registry.h"
#include "ui/base/CoreText.h"
#include "ui/base/Icons.h"
#include "ui/document/Document.h"
#include "ui/widgets/ElidedLabel.h"

namespace headlight {
namespace {

constexpr int kMemoryIntervalMs = 2000;

}  // namespace

qint64 processMemory() {
  QFile file(QStringLiteral("/proc/self/statm"));  // total and resident pages
  if (!file.open(QIODevice::ReadOnly)) return 0;
  const QList<QByteArray> fields = file.readAll().split(' ');
  return fields.size() < 2 ? 0 : fields[1].toLongLong() * sysconf(_SC_PAGESIZE);
}

QString shortCount(double count) {
  const QLocale locale = QLocale::c();
  if (count >= 1e9) return QStringLiteral("%1 G").arg(locale.toString(count / 1e9, 'g', 3));
  if (count >= 1e6) return QStringLiteral("%1 M").arg(locale.toString(count / 1e6, 'g', 3));
  if (count >= 1e3) return QStringLiteral("%1 k").arg(locale.toString(count / 1e3, 'g', 3));
  return locale.toString(count, 'g', 3);
}

QString macsText(const Document& document) {
  if (!document.inputs().canCompute()) return StatusLine::tr("unknown: there is no model");
  const ModelConfig& model = document.inputs().model().experiment.model;
  const double now = double(modelCost(model, document.inputs().masks()).macs),
               unmasked = double(modelCost(model).macs);
  if (now == unmasked) return shortCount(now);
  return StatusLine::tr("%1 (%2 unmasked)").arg(shortCount(now), shortCount(unmasked));
}

StatusLine::StatusLine(Document* document, QWidget* parent)
    : QStatusBar(parent), m_document(document) {
  setObjectName(QStringLiteral("statusLine"));
  setAccessibleName(tr("Status"));
  setSizeGripEnabled(false);

  m_busy = new QProgressBar(this);
  m_busy->setObjectName(QStringLiteral("statusBusy"));
  m_busy->setAccessibleName(tr("Busy"));
  m_busy->setRange(0, 0);
  m_busy->setTextVisible(false);
  m_busy->setFixedSize(70, 10);
  m_activity = new ElidedLabel(this);
  m_activity->setObjectName(QStringLiteral("statusActivity"));
  m_activity->setAccessibleName(tr("Current activity"));
  m_cancel = new QToolButton(this);
  m_cancel->setObjectName(QStringLiteral("statusCancel"));
  m_cancel->setText(tr("Cancel"));
  m_cancel->setAutoRaise(true);
  m_cancel->setAccessibleName(tr("Cancel the current activity"));
  m_cancel->setToolTip(tr("Cancel; what is open does not change"));
  connect(m_cancel, &QToolButton::clicked, this, &StatusLine::cancelRequested);
  addWidget(m_busy);
  addWidget(m_activity);
  addWidget(m_cancel);

  m_device = addLabel(QStringLiteral("statusDevice"), tr("Device"), {});
  m_size = addLabel(
      QStringLiteral("statusSize"), tr("Size of the model"),
      tr("Parameters of the model, and multiply-accumulates for one image with the present masks"));
  m_speed = addLabel(QStringLiteral("statusSpeed"), tr("Time from an edit to its image"),
                     tr("From the last mask edit until its maps and prediction were shown"));
  m_memory =
      addLabel(QStringLiteral("statusMemory"), tr("Memory"), tr("Memory that Headlight uses"));

  connect(&document->inputs(), &InferenceInputs::modelChanged, this, &StatusLine::refreshModel);
  connect(&document->inputs(), &InferenceInputs::masksChanged, this, &StatusLine::refreshModel);
  connect(document, &Document::inferenceChanged, this, &StatusLine::refreshInference);
  connect(&document->view(), &ViewState::changed, this, &StatusLine::refreshModel);
  connect(document, &Document::message, this,
          [this](const QString& text) { showMessage(text, 6000); });
  connect(&m_memoryTimer, &QTimer::timeout, this, &StatusLine::refreshMemory);
  m_memoryTimer.start(kMemoryIntervalMs);
  setActivity({}, false);
  refreshModel();
  refreshInference();
  refreshMemory();
}

QLabel* StatusLine::addLabel(const QString& name, const QString& accessibleName,
                             const QString& tip) {
  auto* label = new ElidedLabel(this);
  label->setObjectName(name);
  label->setAccessibleName(accessibleName);
  label->setToolTip(tip);
  label->setContentsMargins(8, 0, 8, 0);
  addPermanentWidget(label);
  return label;
}

void StatusLine::setActivity(const QString& text, bool cancelable) {
  m_activity->setText(text);
  m_activity->setVisible(!text.isEmpty());
  m_busy->setVisible(!text.isEmpty());
  m_cancel->setVisible(!text.isEmpty() && cancelable);
  if (!text.isEmpty()) clearMessage();
}

void StatusLine::setComputeDescription(const QString& text) {
  m_compute = coreText(text.toStdString());
  refreshModel();
}

void StatusLine::refreshModel() {
  if (!m_document->inputs().hasModel()) {
    m_device->setText(tr("no model"));
    m_size->clear();
    return;
  }
  const ModelInfo& info = m_document->inputs().model();
  const QString device = QString::fromStdString(info.device);
  const QString note = m_document->sourceNote();
  m_device->setText(note.isEmpty() ? device : QStringLiteral("%1 · %2").arg(device, note));
  refreshDeviceTip();
  if (info.isPrecomputed) {
    m_size->setText(tr("maps without a model"));
    return;
  }
  const double macs = double(modelCost(info.experiment.model, m_document->inputs().masks()).macs);
  m_size->setText(
      tr("%1 parameters · %2MACs").arg(shortCount(double(info.parameters)), shortCount(macs)));
}

/// The device, and the kernels of the newest result's attention.
void StatusLine::refreshDeviceTip() {
  QString tip = m_compute.isEmpty() ? tr("The device that runs the model") : m_compute;
  if (const auto inference = m_document->liveInference(); inference && !inference->kernels.empty())
    tip += QStringLiteral("\n") + tr("Attention: %1").arg(coreText(inference->kernels));
  m_device->setToolTip(tip);
}

void StatusLine::refreshInference() {
  if (m_document->inputs().hasModel()) refreshDeviceTip();
  const double milliseconds = m_document->editToImageMs();
  if (milliseconds >= 0)
    m_speed->setText(tr("edit → image %1 ms").arg(qRound(milliseconds)));
  else if (const auto inference = m_document->liveInference())
    m_speed->setText(tr("image %1 ms").arg(qRound(inference->milliseconds)));
  else
    m_speed->clear();
}

void StatusLine::refreshMemory() {
  const qint64 bytes = processMemory();
  m_memory->setText(bytes > 0 ? tr("%1 MB").arg(bytes >> 20) : QString());
}

}  // namespace headlight
