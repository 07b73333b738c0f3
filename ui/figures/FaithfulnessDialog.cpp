// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/figures/FaithfulnessDialog.h"

#include <QDir>
#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>

#include "core/base/files/Files.h"
#include "ui/base/CoreText.h"
#include "ui/document/Folders.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"
#include "ui/widgets/NumberItem.h"

namespace headlight {
namespace {

enum MethodColumn { kMethod, kImagesOfMethod, kDeletion, kInsertion, kMethodColumns };

}  // namespace

FaithfulnessDialog::FaithfulnessDialog(const AveragesParts& parts, QWidget* parent)
    : AveragesDialog(parts, parent),
      m_table(new QTableWidget(0, kMethodColumns, this)),
      m_note(new QLabel(this)) {
  setObjectName(QStringLiteral("faithfulnessDialog"));
  setWindowTitle(tr("Faithfulness of explanations"));
  resize(720, 480);
  m_table->setObjectName(QStringLiteral("faithfulnessTable"));
  m_table->setAccessibleName(tr("Methods"));
  m_table->setHorizontalHeaderLabels({tr("Method"), tr("Images"),
                                      tr("Deletion (small is faithful)"),
                                      tr("Insertion (large is faithful)")});
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->horizontalHeader()->setSectionResizeMode(kMethod, QHeaderView::Stretch);
  m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  m_note->setObjectName(QStringLiteral("faithfulnessNote"));
  m_note->setTextFormat(Qt::PlainText);
  m_note->setWordWrap(true);
  body()->addWidget(m_table, 1);
  body()->addWidget(m_note);
  finish();
  showStudy();
}

void FaithfulnessDialog::measure() {
  run<FaithfulnessStudy>(
      [](InferenceSession& session, const ImageSource& feed, const MaskScheme& masks,
         const ProgressCallback& notify, std::stop_token stop) {
        return studyFaithfulness(session, feed, masks, {}, notify, stop);
      },
      [this](const FaithfulnessStudy& study) {
        m_study = std::make_shared<const FaithfulnessStudy>(study);
        if (!study.fed.unread.empty())
          status()->setMessage(QString::fromStdString(study.fed.unread.front()),
                               MessageLabel::Tone::Problem);
        showStudy();
      });
}

void FaithfulnessDialog::showStudy() {
  m_table->setSortingEnabled(false);
  m_table->setRowCount(m_study ? static_cast<int>(m_study->methods.size()) : 0);
  for (int row = 0; row < m_table->rowCount(); ++row) {
    const StudiedMethod& method = m_study->methods[static_cast<std::size_t>(row)];
    const auto cell = [&](double value, const QString& text) {
      return new NumberItem(value, text);
    };
    m_table->setItem(row, kMethod, new QTableWidgetItem(coreText(method.title)));
    m_table->setItem(row, kImagesOfMethod,
                     cell(static_cast<double>(method.images), QString::number(method.images)));
    m_table->setItem(row, kDeletion,
                     cell(method.deletion.mean, coreText(meanText(method.deletion))));
    m_table->setItem(row, kInsertion,
                     cell(method.insertion.mean, coreText(meanText(method.insertion))));
  }
  m_table->setSortingEnabled(true);
  QString note =
      tr("Deletion removes patches from each image in falling order of heat; insertion adds them "
         "to an empty image in that order (Petsiuk et al. 2018). The value is the area under the "
         "probability of the predicted class, mean ± deviation over images.");
  if (m_study) {
    note += QLatin1Char(' ') + coreText(fedText(m_study->fed)) + QLatin1Char('.');
    for (const std::string& left : m_study->left)
      note += tr(" Left out: %1.").arg(coreText(left));
  }
  m_note->setText(note);
  refresh();
}

void FaithfulnessDialog::forget() {
  m_study = nullptr;
  showStudy();
}

void FaithfulnessDialog::save() {
  askWhereToSave(this, tr("Save the table"),
                 QDir(figureFolder()).filePath(QStringLiteral("faithfulness.csv")),
                 tr("Tables (*.csv)"), [this](const QString& path) { saveAs(path); });
}

void FaithfulnessDialog::saveAs(const QString& path) {
  if (!m_study) return;
  status()->reportSaved(path, writeFileAtomically(path.toStdString(), studyCsv(m_study->methods)));
  rememberWritten(path);
}

}  // namespace headlight
