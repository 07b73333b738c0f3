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
#include "ui/base/Icons.h"
#include "ui/document/Document.h"

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
  if (!document.canCompute()) return StatusLine::tr("unknown: there is no model");
  const ModelConfig& model = document.model().experiment.model;
  const double now = double(modelCost(model, document.masks()).macs),
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
  m_busy->setAccessibleName(tr("Something is being done"));
  m_busy->setRange(0, 0);
  m_busy->setTextVisible(false);
  m_busy->setFixedSize(70, 10);
  m_activity = new QLabel(this);
  m_activity->setObjectName(QStringLiteral("statusActivity"));
  m_activity->setAccessibleName(tr("What is being done"));
  m_cancel = new QToolButton(this);
  m_cancel->setObjectName(QStringLiteral("statusCancel"));
  m_cancel->setText(tr("Cancel"));
  m_cancel->setAutoRaise(true);
  m_cancel->setAccessibleName(tr("Cancel what is being done"));
  m_cancel->setToolTip(tr("Cancel: what is open stays as it is"));
  connect(m_cancel, &QToolButton::clicked, this, &StatusLine::cancelRequested);
  addWidget(m_busy);
  addWidget(m_activity);
  addWidget(m_cancel);

  m_device = addLabel(QStringLiteral("statusDevice"), tr("Device"), {});
  m_size = addLabel(
      QStringLiteral("statusSize"), tr("Size of the model"),
      tr("Parameters of the model, and multiply-accumulates for one picture with its masks "
         "as they are now"));
  m_speed = addLabel(QStringLiteral("statusSpeed"), tr("Time from an edit to its picture"),
                     tr("From the last mask edit until its maps and prediction were there"));
  m_memory =
      addLabel(QStringLiteral("statusMemory"), tr("Memory"), tr("Memory that Headlight uses"));

  connect(document, &Document::modelChanged, this, &StatusLine::refreshModel);
  connect(document, &Document::masksChanged, this, &StatusLine::refreshModel);
  connect(document, &Document::lookChanged, this, &StatusLine::refreshLook);
  connect(document, &Document::viewChanged, this, &StatusLine::refreshModel);
  connect(document, &Document::message, this,
          [this](const QString& text) { showMessage(text, 6000); });
  connect(&m_memoryTimer, &QTimer::timeout, this, &StatusLine::refreshMemory);
  m_memoryTimer.start(kMemoryIntervalMs);
  setActivity({}, false);
  refreshModel();
  refreshLook();
  refreshMemory();
}

QLabel* StatusLine::addLabel(const QString& name, const QString& accessibleName,
                             const QString& tip) {
  auto* label = new QLabel(this);
  label->setObjectName(name);
  label->setAccessibleName(accessibleName);
  label->setToolTip(tip);
  label->setContentsMargins(8, 0, 8, 0);
  addPermanentWidget(label);
  return label;
}

void StatusLine::setActivity(const QString& text, bool cancellable) {
  m_activity->setText(text);
  m_activity->setVisible(!text.isEmpty());
  m_busy->setVisible(!text.isEmpty());
  m_cancel->setVisible(!text.isEmpty() && cancellable);
  if (!text.isEmpty()) clearMessage();
}

void StatusLine::setComputeDescription(const QString& text) {
  m_compute = text;
  refreshModel();
}

void StatusLine::refreshModel() {
  if (!m_document->hasModel()) {
    m_device->setText(tr("no model"));
    m_size->clear();
    return;
  }
  const ModelInfo& info = m_document->model();
  const QString device = QString::fromStdString(info.device);
  const QString note = m_document->sourceNote();
  m_device->setText(note.isEmpty() ? device : QStringLiteral("%1 · %2").arg(device, note));
  refreshDeviceTip();
  if (info.isPrecomputed) {
    m_size->setText(tr("maps without a model"));
    return;
  }
  const double macs = double(modelCost(info.experiment.model, m_document->masks()).macs);
  m_size->setText(
      tr("%1 parameters · %2MACs").arg(shortCount(double(info.parameters)), shortCount(macs)));
}

/// What computes, and which kernels the newest look's attention ran by.
void StatusLine::refreshDeviceTip() {
  QString tip = m_compute.isEmpty() ? tr("What the model runs on") : m_compute;
  if (const auto look = m_document->liveLook(); look && !look->kernels.empty())
    tip += QStringLiteral("\n") + tr("Attention: %1").arg(QString::fromStdString(look->kernels));
  m_device->setToolTip(tip);
}

void StatusLine::refreshLook() {
  if (m_document->hasModel()) refreshDeviceTip();
  const double milliseconds = m_document->editToPictureMs();
  if (milliseconds >= 0)
    m_speed->setText(tr("edit → picture %1 ms").arg(qRound(milliseconds)));
  else if (const auto look = m_document->liveLook())
    m_speed->setText(tr("picture %1 ms").arg(qRound(look->milliseconds)));
  else
    m_speed->clear();
}

void StatusLine::refreshMemory() {
  const qint64 bytes = processMemory();
  m_memory->setText(bytes > 0 ? tr("%1 MB").arg(bytes >> 20) : QString());
}

}  // namespace headlight
