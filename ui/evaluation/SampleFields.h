// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Fields for a dataset: kind, folder, number of images, and how its classes are matched with the
// model's.

#include <QWidget>

#include "core/workbench/evaluation/ImageSample.h"

class QComboBox;
class QSpinBox;

namespace headlight {

class ParameterForm;
class PathRow;

class Document;

/// The data that the model's config names.
ImageSample makeImageSample(const Document& document);

class SampleFields : public QWidget {
  Q_OBJECT
 public:
  /// `prefix` begins the fields' objectNames: "effect" makes "effectKind".
  SampleFields(const QString& prefix, const ImageSample& sample, QWidget* parent = nullptr);

  /// The other values (splits, file reading) stay those of the initial sample.
  ImageSample sample() const;
  void setSample(const ImageSample& sample);  ///< without changed()

 Q_SIGNALS:
  void changed();  ///< by the user

 private:
  void browse();
  void refresh();

  ImageSample m_base;
  QComboBox* m_kind;
  PathRow* m_path;
  QSpinBox* m_images;
  ParameterForm* m_matching;  ///< matches the dataset's classes with the model's
};

}  // namespace headlight
