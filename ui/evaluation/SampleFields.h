// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Which pictures of which data set, to be chosen: its kind, its folder, how many, and how its
// classes are matched with the model's.

#include <QWidget>

#include "core/workbench/evaluation/PictureSample.h"

class QComboBox;
class QSpinBox;

namespace headlight {

class ParameterForm;
class PathRow;

class Document;

/// The data that the model's config names.
PictureSample sampleOf(const Document& document);

class SampleFields : public QWidget {
  Q_OBJECT
 public:
  /// `prefix` begins the fields' objectNames: "effect" makes "effectKind".
  SampleFields(const QString& prefix, const PictureSample& sample, QWidget* parent = nullptr);

  /// The rest of it (splits, how files are read) is that of the sample it began with.
  PictureSample sample() const;
  void setSample(const PictureSample& sample);  ///< tells nobody

 Q_SIGNALS:
  void changed();  ///< by the person

 private:
  void browse();
  void refresh();

  PictureSample m_base;
  QComboBox* m_kind;
  PathRow* m_path;
  QSpinBox* m_pictures;
  ParameterForm* m_matching;  ///< of the data's classes with the model's
};

}  // namespace headlight
