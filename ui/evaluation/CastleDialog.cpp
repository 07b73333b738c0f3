// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/CastleDialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/base/files/Files.h"
#include "ui/base/SanitizedText.h"
#include "ui/bridge/ModelWorker.h"
#include "ui/document/Document.h"
#include "ui/document/Folders.h"
#include "ui/evaluation/CastleTables.h"
#include "ui/evaluation/SampleFields.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/ProgressLine.h"
#include "ui/widgets/ProgressTask.h"

namespace headlight {

QString whyNotCastled(const Document& document) {
  if (!document.hasModel()) return CastleDialog::tr("Open a model first.");
  const auto can = canCastle(document.model().experiment.model);
  return can ? QString() : QString::fromStdString(can.error().message);
}

CastleDialog::CastleDialog(const Document* document, ModelWorker* look,
                           std::shared_ptr<const ResultCache> shelf, const PictureSample& proposed,
                           QWidget* parent)
    : QDialog(parent),
      m_document(document),
      m_look(look),
      m_shelf(std::move(shelf)),
      m_headline(new QLabel(this)),
      m_verdict(new QLabel(this)),
      m_fields(new SampleFields(QStringLiteral("castle"), proposed, this)),
      m_tables(new CastleTables(this)),
      m_progress(new ProgressLine(tr("Progress of the measurement"), this)),
      m_status(new MessageLabel(this)),
      m_task(new ProgressTask(m_progress, this)) {
  setObjectName(QStringLiteral("castleDialog"));
  setWindowTitle(tr("Castle: inference without the auxiliary branch"));
  resize(720, 680);
  for (QLabel* label : {m_headline, m_verdict}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  m_verdict->setObjectName(QStringLiteral("castleVerdict"));
  m_status->setObjectName(QStringLiteral("castleStatus"));
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(m_headline);
  layout->addWidget(m_fields);
  layout->addWidget(m_tables, 1);
  layout->addWidget(m_verdict);
  layout->addWidget(m_progress);
  layout->addWidget(m_status);
  layout->addWidget(makeButtons());
  connect(m_fields, &SampleFields::changed, this, &CastleDialog::lookForKept);
  for (const auto signal : {&Document::modelChanged, &Document::masksChanged})
    connect(document, signal, this, &CastleDialog::lookForKept);
  connect(m_task, &ProgressTask::busyChanged, this, &CastleDialog::refresh);
  connect(&m_saving, &BackgroundTask::busyChanged, this, &CastleDialog::refresh);
  lookForKept();
}

QWidget* CastleDialog::makeButtons() {
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  const auto add = [&](const QString& text, const char* name, const QString& tip) {
    auto* button = buttons->addButton(text, QDialogButtonBox::ActionRole);
    button->setObjectName(QString::fromLatin1(name));
    button->setToolTip(tip);
    button->setAutoDefault(false);
    return button;
  };
  m_measure = add(tr("Measure"), "castleMeasure", tr("Twice over the pictures"));
  m_cancel = add(tr("Cancel"), "castleCancel", tr("What was shown before stays"));
  m_export = add(tr("Export CSV…"), "castleExport", tr("Both tables as numbers"));
  m_save = add(tr("Save Castled…"), "castleSave",
               tr("The weights as they are, in a file that goes without the branch from then on"));
  m_open = add(tr("Open the Saved"), "castleOpen",
               tr("The castled model that was saved takes this one's place in the window"));
  m_measure->setDefault(true);
  connect(m_measure, &QPushButton::clicked, this, &CastleDialog::measure);
  connect(m_cancel, &QPushButton::clicked, this, &CastleDialog::cancel);
  connect(m_save, &QPushButton::clicked, this, &CastleDialog::askToSave);
  connect(m_open, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(m_saved); });
  connect(m_export, &QPushButton::clicked, this, [this] {
    askWhereToSave(this, tr("Export what castling changes"), QStringLiteral("castling.csv"),
                   tr("Tables (*.csv)"), [this](const QString& path) { exportTable(path); });
  });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  return buttons;
}

bool CastleDialog::isMeasuring() const {
  return m_measuring && m_task->isBusy();
}

void CastleDialog::measure() {
  if (isMeasuring() || !whyNotCastled(*m_document).isEmpty()) return;
  m_status->clear();
  run(Keeping::Use::Measured);
}

void CastleDialog::cancel() {
  m_task->cancel();
  m_measuring = false;
  m_status->setMessage(tr("Cancelled."), MessageLabel::Tone::Quiet);
  refresh();
}

/// What was measured of this model before, also on another day.
void CastleDialog::lookForKept() {
  const bool measured = isMeasuring();
  m_task->cancel();
  m_measuring = false;
  m_report.reset();
  m_status->setMessage(measured ? tr("Cancelled: the model or its masks changed.") : QString());
  fill();
  if (whyNotCastled(*m_document).isEmpty()) run(Keeping::Use::Kept);
  refresh();
}

void CastleDialog::run(Keeping::Use use) {
  m_measuring = use != Keeping::Use::Kept;
  // Weights in training are others in a second: nobody would find them again.
  const bool keeps = !m_look->isLookingThroughTraining();
  m_task->run<Measured>(
      [session = m_look->session(), sample = m_fields->sample(), masks = m_document->masks(),
       keeping = Keeping{keeps ? m_shelf : nullptr, use}](const ProgressCallback& tell,
                                                          std::stop_token stop) -> Measured {
        const auto open = session();
        if (!open) return Error{ErrorCode::Canceled, "no model is open", ""};
        return keptCastling(keeping, {*open, sample, masks}, tell, stop);
      },
      [this, use](const Measured& measured) { take(measured, use); });
  refresh();
}

void CastleDialog::take(const Measured& measured, Keeping::Use use) {
  m_measuring = false;
  const bool quiet = use == Keeping::Use::Kept;  // that nothing is kept is no problem
  if (measured)
    m_report = *measured;
  else if (!quiet && measured.error().code != ErrorCode::Canceled)
    m_status->setMessage(QString::fromStdString(measured.error().text()),
                         MessageLabel::Tone::Problem);
  fill();
  refresh();
}

void CastleDialog::refresh() {
  const QString why = whyNotCastled(*m_document);
  const bool can = why.isEmpty(), measuring = isMeasuring();
  if (!can)
    m_headline->setText(why);
  else
    m_headline->setText(tr("%1, masks “%2”%3")
                            .arg(displayName(m_document->model().experiment.model.name),
                                 displayName(schemeTitle(m_document->masks())),
                                 m_report && !m_report->measured.empty()
                                     ? QStringLiteral(", ") +
                                           QString::fromStdString(measuredText(m_report->measured))
                                     : QString()));
  m_fields->setEnabled(can && !measuring);
  m_measure->setEnabled(can && !measuring);
  m_measure->setText(m_report ? tr("Measure Again") : tr("Measure"));
  m_cancel->setEnabled(measuring);
  m_export->setEnabled(m_report.has_value());
  m_save->setEnabled(can && !m_saving.isBusy());
  m_open->setEnabled(!m_saved.isEmpty());
}

void CastleDialog::fill() {
  m_tables->setReport(m_report ? &*m_report : nullptr);
  m_verdict->setText(m_report ? QStringLiteral("castling is ") +
                                    QString::fromStdString(m_report->verdict)
                              : QString());
}

void CastleDialog::exportTable(const QString& path) {
  if (!m_report) return;
  m_status->tellSaved(path, writeFileAtomically(path.toStdString(), castlingCsv(*m_report)));
}

/// As convert --castle does: what is not free, or not known to be, is saved when somebody says so.
void CastleDialog::askToSave() {
  const auto isFree = m_report ? requireFree(*m_report, "Save") : Result<void>();
  if (m_report && isFree) return askForName();
  const QString text = m_report ? QString::fromStdString(isFree.error().message)
                                : tr("Nobody looked whether anything of the branch is left; "
                                     "Measure tells.");
  dialogs().confirm(this, tr("Save it castled all the same?"), text, tr("Save"), [this](bool yes) {
    if (yes) askForName();
  });
}

void CastleDialog::askForName() {
  askWhereToSave(this, tr("Save the castled model"),
                 QDir(documentsFolder())
                     .filePath(QString::fromStdString(m_document->model().experiment.model.name) +
                               QStringLiteral("-castled.safetensors")),
                 tr("safetensors (*.safetensors)"), [this](const QString& path) { save(path); });
}

void CastleDialog::save(const QString& path) {
  m_saving.run<Result<void>>(
      [session = m_look->session(), path, masks = m_document->masks()](std::stop_token) {
        const auto open = session();
        return open ? saveCastled(*open, path.toStdString(), masks)
                    : Result<void>(Error{ErrorCode::Canceled, "no model is open", ""});
      },
      [this, path](const Result<void>& written) {
        m_status->tellSaved(path, written);
        if (written) m_saved = path;
        refresh();
      });
  refresh();
}

}  // namespace headlight
