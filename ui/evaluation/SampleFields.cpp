// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/evaluation/SampleFields.h"

#include <QComboBox>
#include <QFormLayout>
#include <QSignalBlocker>
#include <QSpinBox>

#include "core/config/DatasetKinds.h"
#include "ui/base/CoreText.h"
#include "ui/document/Document.h"
#include "ui/forms/ParameterForm.h"
#include "ui/forms/PathRow.h"
#include "ui/widgets/Dialogs.h"

namespace headlight {
namespace {

constexpr int kMostSampled = 1'000'000;

}  // namespace

ImageSample makeImageSample(const Document& document) {
  ImageSample sample;
  if (document.inputs().hasModel()) sample.data = document.inputs().model().experiment.data;
  return sample;
}

SampleFields::SampleFields(const QString& prefix, const ImageSample& sample, QWidget* parent)
    : QWidget(parent), m_kind(new QComboBox(this)), m_images(new QSpinBox(this)) {
  m_kind->setObjectName(prefix + QStringLiteral("Kind"));
  m_kind->setAccessibleName(tr("Kind of dataset"));
  for (const DatasetKind& kind : datasetKinds()) {
    m_kind->addItem(QString::fromStdString(kind.name));
    m_kind->setItemData(m_kind->count() - 1, coreText(kind.help), Qt::ToolTipRole);
  }
  m_path = new PathRow(
      {prefix + QStringLiteral("Path"), tr("&Folder"), tr("Folder of the dataset"),
       tr("The folder of the dataset; its validation split is measured"), QString(),
       prefix + QStringLiteral("Browse"), tr("Choose…"), tr("Choose the folder of the dataset")},
      this);
  m_images->setObjectName(prefix + QStringLiteral("ImagesCount"));
  m_images->setAccessibleName(tr("Number of images"));
  m_images->setRange(0, kMostSampled);
  m_images->setSpecialValueText(tr("all"));
  m_images->setToolTip(tr("Maximum number of images, spread over the classes; 0: all images"));
  m_matching = new ParameterForm(classMatchParameters(), prefix + QStringLiteral("Matching"), this);
  m_matching->setFilterVisible(false);
  connect(m_matching, &ParameterForm::changed, this, &SampleFields::changed);
  setSample(sample);
  connect(m_path, &PathRow::browseRequested, this, &SampleFields::browse);
  connect(m_path, &PathRow::edited, this, &SampleFields::changed);
  connect(m_images, &QSpinBox::valueChanged, this, &SampleFields::changed);
  connect(m_kind, &QComboBox::currentTextChanged, this, [this] {
    refresh();
    Q_EMIT changed();
  });
  auto* layout = new QFormLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addRow(tr("&Dataset"), m_kind);
  layout->addRow(m_path);
  layout->addRow(tr("&Images"), m_images);
  layout->addRow(m_matching);
}

void SampleFields::setSample(const ImageSample& sample) {
  const QSignalBlocker quiet(this);
  m_base = sample;
  m_kind->setCurrentText(QString::fromStdString(sample.data.dataset));
  m_path->setPath(QString::fromStdString(sample.data.path));
  m_images->setValue(static_cast<int>(sample.samples));
  m_matching->setValues(writeParameters(classMatchParameters(), &sample.matching));
  refresh();
}

void SampleFields::refresh() {
  m_path->setVisible(!isDrawnData(m_kind->currentText().toStdString()));
}

void SampleFields::browse() {
  askForFolder(this, tr("Choose a dataset"), m_path->path(), [this](const QString& folder) {
    m_path->setPath(folder);
    Q_EMIT changed();
  });
}

ImageSample SampleFields::sample() const {
  ImageSample chosen = m_base;
  chosen.data.dataset = m_kind->currentText().toStdString();
  chosen.data.path = m_path->path().toStdString();
  chosen.samples = m_images->value();
  if (auto matching = ClassMatching();
      readParameters(classMatchParameters(), m_matching->values(), &matching, "match"))
    chosen.matching = matching;
  return chosen;
}

}  // namespace headlight
