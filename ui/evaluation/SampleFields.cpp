// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/SampleFields.h"

#include <QComboBox>
#include <QFormLayout>
#include <QSignalBlocker>
#include <QSpinBox>

#include "core/config/DatasetKinds.h"
#include "ui/document/Document.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

constexpr int kMostSampled = 1'000'000;

}  // namespace

PictureSample sampleOf(const Document& document) {
  PictureSample sample;
  if (document.hasModel()) sample.data = document.model().experiment.data;
  return sample;
}

SampleFields::SampleFields(const QString& prefix, const PictureSample& sample, QWidget* parent)
    : QWidget(parent), m_kind(new QComboBox(this)), m_pictures(new QSpinBox(this)) {
  m_kind->setObjectName(prefix + QStringLiteral("Kind"));
  m_kind->setAccessibleName(tr("Kind of data set"));
  for (const DatasetKind& kind : datasetKinds()) {
    m_kind->addItem(QString::fromStdString(kind.name));
    m_kind->setItemData(m_kind->count() - 1, QString::fromStdString(kind.help), Qt::ToolTipRole);
  }
  m_path = new PathRow(
      {prefix + QStringLiteral("Path"), tr("&Folder"), tr("Folder of the data set"),
       tr("The folder of the data set; its validation split is measured"), QString(),
       prefix + QStringLiteral("Browse"), tr("Choose…"), tr("Choose the folder of the data set")},
      this);
  m_pictures->setObjectName(prefix + QStringLiteral("PicturesCount"));
  m_pictures->setAccessibleName(tr("Number of pictures"));
  m_pictures->setRange(0, kMostSampled);
  m_pictures->setSpecialValueText(tr("all"));
  m_pictures->setToolTip(tr("At most so many, spread over the classes; 0: all of them"));
  m_matching = new ParameterForm(classMatchParameters(), prefix + QStringLiteral("Matching"), this);
  m_matching->setFilterVisible(false);
  connect(m_matching, &ParameterForm::changed, this, &SampleFields::changed);
  setSample(sample);
  connect(m_path, &PathRow::browseRequested, this, &SampleFields::browse);
  connect(m_path, &PathRow::edited, this, &SampleFields::changed);
  connect(m_pictures, &QSpinBox::valueChanged, this, &SampleFields::changed);
  connect(m_kind, &QComboBox::currentTextChanged, this, [this] {
    refresh();
    Q_EMIT changed();
  });
  auto* layout = new QFormLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addRow(tr("&Data set"), m_kind);
  layout->addRow(m_path);
  layout->addRow(tr("&Pictures"), m_pictures);
  layout->addRow(m_matching);
}

void SampleFields::setSample(const PictureSample& sample) {
  const QSignalBlocker quiet(this);
  m_base = sample;
  m_kind->setCurrentText(QString::fromStdString(sample.data.dataset));
  m_path->setPath(QString::fromStdString(sample.data.path));
  m_pictures->setValue(static_cast<int>(sample.samples));
  m_matching->setValues(writeParameters(classMatchParameters(), &sample.matching));
  refresh();
}

void SampleFields::refresh() {
  m_path->setVisible(m_kind->currentText() != QLatin1String(kProceduralData));
}

void SampleFields::browse() {
  askForFolder(this, tr("Choose a data set"), m_path->path(), [this](const QString& folder) {
    m_path->setPath(folder);
    Q_EMIT changed();
  });
}

PictureSample SampleFields::sample() const {
  PictureSample chosen = m_base;
  chosen.data.dataset = m_kind->currentText().toStdString();
  chosen.data.path = m_path->path().toStdString();
  chosen.samples = m_pictures->value();
  if (auto matching = ClassMatching();
      readParameters(classMatchParameters(), m_matching->values(), &matching, "match"))
    chosen.matching = matching;
  return chosen;
}

}  // namespace headlight
