#include "ui/maps/EffectDataDialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>

#include "core/config/DatasetKinds.h"
#include "ui/base/Dialogs.h"
#include "ui/forms/PathRow.h"

namespace headlight {
namespace {

constexpr int kMostPictures = 1'000'000;

}  // namespace

EffectDataDialog::EffectDataDialog(const std::optional<PictureSample>& now,
                                   const PictureSample& proposed, QWidget* parent)
    : QDialog(parent), m_base(now.value_or(proposed)) {
  setObjectName(QStringLiteral("effectDataDialog"));
  setWindowTitle(tr("Measure on a data set"));
  m_measure = new QCheckBox(tr("&Measure what the masks do, after every edit"), this);
  m_measure->setObjectName(QStringLiteral("effectMeasure"));
  m_measure->setChecked(true);
  m_kind = new QComboBox(this);
  m_kind->setObjectName(QStringLiteral("effectKind"));
  m_kind->setAccessibleName(tr("Kind of data set"));
  for (const DatasetKind& kind : datasetKinds()) {
    m_kind->addItem(QString::fromStdString(kind.name));
    m_kind->setItemData(m_kind->count() - 1, QString::fromStdString(kind.help), Qt::ToolTipRole);
  }
  m_kind->setCurrentText(QString::fromStdString(m_base.data.dataset));
  m_path = new PathRow(
      {QStringLiteral("effectPath"), tr("&Folder"), tr("Folder of the data set"),
       tr("The folder of the data set; its validation split is measured"), QString(),
       QStringLiteral("effectBrowse"), tr("Choose…"), tr("Choose the folder of the data set")},
      this);
  m_path->setPath(QString::fromStdString(m_base.data.path));
  m_pictures = new QSpinBox(this);
  m_pictures->setObjectName(QStringLiteral("effectPicturesCount"));
  m_pictures->setAccessibleName(tr("Number of pictures"));
  m_pictures->setRange(0, kMostPictures);
  m_pictures->setSpecialValueText(tr("all"));
  m_pictures->setValue(static_cast<int>(m_base.samples));
  m_pictures->setToolTip(tr("At most so many, spread over the classes; 0: all of them"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_path, &PathRow::browseRequested, this, &EffectDataDialog::browse);
  connect(m_kind, &QComboBox::currentTextChanged, this, &EffectDataDialog::refresh);
  connect(m_measure, &QCheckBox::toggled, this, &EffectDataDialog::refresh);
  auto* layout = new QFormLayout(this);
  layout->addRow(m_measure);
  layout->addRow(tr("&Data set"), m_kind);
  layout->addRow(m_path);
  layout->addRow(tr("&Pictures"), m_pictures);
  layout->addRow(buttons);
  refresh();
}

void EffectDataDialog::refresh() {
  const bool on = m_measure->isChecked();
  m_kind->setEnabled(on);
  m_pictures->setEnabled(on);
  m_path->setVisible(m_kind->currentText() != QLatin1String(kProceduralData));
  m_path->setEnabled(on);
}

void EffectDataDialog::browse() {
  askForFolder(this, tr("Choose a data set"), m_path->path(),
               [this](const QString& folder) { m_path->setPath(folder); });
}

std::optional<PictureSample> EffectDataDialog::sample() const {
  if (!m_measure->isChecked()) return std::nullopt;
  PictureSample chosen = m_base;
  chosen.data.dataset = m_kind->currentText().toStdString();
  chosen.data.path = m_path->path().toStdString();
  chosen.samples = m_pictures->value();
  return chosen;
}

}  // namespace headlight
