// kagami._kagami: records as columns for NumPy. What is compared, identified or run is done by the
// program `kagami` (docs/decisions/0020-python.md).
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <utility>

#include "models/base/errors.hpp"
#include "tools/analysis/record_columns.hpp"
#include "tools/cli/common_options.hpp"

namespace py = pybind11;

namespace kagami::tools {
namespace {

/// Text out of a file, which may hold anything.
py::str text_of(const std::string& bytes) {
  PyObject* text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

py::list texts_of(const std::vector<std::string>& all) {
  py::list texts;
  for (const std::string& text : all) texts.append(text_of(text));
  return texts;
}

/// The exceptions are Python's own classes, so that all modules of the package share them.
void translate(std::exception_ptr raised) {
  try {
    if (raised) std::rethrow_exception(std::move(raised));
  } catch (const Error& error) {
    const py::object kind = py::module_::import("kagami.errors").attr("ConfigError");
    PyErr_SetObject(kind.ptr(), text_of(error.what()).ptr());
  }
}

/// Lets Ctrl-C end a long reading.
void check_signals() {
  const py::gil_scoped_acquire python;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// A view of a column that keeps its owner; not for writing.
template <class T>
py::array view_of(const std::vector<T>& column, const py::object& owner) {
  py::array_t<T> array(std::vector<py::ssize_t>{static_cast<py::ssize_t>(column.size())},
                       column.data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

py::array table_of(const std::vector<double>& column, std::size_t num_joints,
                   const py::object& owner) {
  const auto joints = static_cast<py::ssize_t>(num_joints);
  const auto rows = joints == 0 ? 0 : static_cast<py::ssize_t>(column.size()) / joints;
  py::array_t<double> array(std::vector<py::ssize_t>{rows, joints}, column.data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

std::filesystem::path find_record(const std::filesystem::path& name) {
  std::istringstream in;
  std::ostringstream out;
  ConsoleSettings settings;
  settings.environment = [](const std::string& variable) -> std::optional<std::string> {
    const char* value = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  const Console io(in, out, out, settings);
  return record_file(name.string(), io);
}

py::dict metadata_of(const runtime::McapReader& reader) {
  py::dict all;
  for (const runtime::MetadataIndex& index : reader.metadata()) {
    py::dict entries;
    for (const auto& [key, value] : reader.metadata(index)) entries[text_of(key)] = text_of(value);
    all[text_of(index.name)] = entries;
  }
  return all;
}

py::dict attachments_of(const runtime::McapReader& reader) {
  py::dict all;
  for (const runtime::AttachmentIndex& index : reader.attachments()) {
    const std::string bytes = reader.attachment(index).text();
    all[text_of(index.name)] = py::bytes(bytes);
  }
  return all;
}

py::dict read_head(const std::filesystem::path& file) {
  const auto record = [&] {
    const py::gil_scoped_release others;
    return std::make_unique<RunRecord>(file);
  }();
  return reading_a_record([&] {
    const runtime::Completeness state = record->completeness();
    py::dict head;
    head["joints"] = texts_of(record->joint_names());
    head["motion"] = text_of(record->motion());
    head["complete"] = state.complete;
    head["why"] = text_of(state.why);
    head["metadata"] = metadata_of(record->reader());
    head["attachments"] = attachments_of(record->reader());
    return head;
  });
}

std::shared_ptr<RecordColumns> columns_of(const std::filesystem::path& file) {
  const py::gil_scoped_release others;
  return std::make_shared<RecordColumns>(read_columns(RunRecord(file), check_signals));
}

/// (time, measured, simulated) of every joint.
py::list compared_of(const std::filesystem::path& file) {
  auto all = [&] {
    const py::gil_scoped_release others;
    return read_compared(RunRecord(file), check_signals);
  }();
  py::list joints;
  for (ComparedReadings& readings : all) {
    auto owned = std::make_unique<ComparedReadings>(std::move(readings));
    const ComparedReadings& columns = *owned;
    const py::capsule owner(owned.release(),
                            [](void* held) { delete static_cast<ComparedReadings*>(held); });
    joints.append(py::make_tuple(view_of(columns.time, owner), view_of(columns.measured, owner),
                                 view_of(columns.simulated, owner)));
  }
  return joints;
}

py::list events_of(const RecordColumns& columns) {
  py::list events;
  for (const RecordedEvent& event : columns.events) {
    events.append(py::make_tuple(event.time, event.name, event.joint, event.value, event.level,
                                 text_of(event.sentence)));
  }
  return events;
}

using ColumnsClass = py::class_<RecordColumns, std::shared_ptr<RecordColumns>>;

void add_column(ColumnsClass& columns, const char* name,
                std::vector<double> RecordColumns::*column) {
  columns.def_property_readonly(name, [column](const py::object& self) {
    const auto& all = self.cast<const RecordColumns&>();
    return table_of(all.*column, all.num_joints, self);
  });
}

}  // namespace

PYBIND11_MODULE(_kagami, m) {
  m.doc() = "Records of Kagami as columns.";
  py::register_exception_translator(translate);

  ColumnsClass columns(m, "Columns");
  columns.def_property_readonly("time", [](const py::object& self) {
    return view_of(self.cast<const RecordColumns&>().time, self);
  });
  columns.def_property_readonly("phase", [](const py::object& self) {
    return view_of(self.cast<const RecordColumns&>().phase, self);
  });
  columns.def_property_readonly("motion_time", [](const py::object& self) {
    return view_of(self.cast<const RecordColumns&>().motion_time, self);
  });
  add_column(columns, "reference", &RecordColumns::reference);
  add_column(columns, "command", &RecordColumns::command);
  add_column(columns, "simulated", &RecordColumns::simulated);
  add_column(columns, "measured", &RecordColumns::measured);
  add_column(columns, "residual", &RecordColumns::residual);
  add_column(columns, "torque", &RecordColumns::torque);
  columns.def_property_readonly("events", &events_of);

  m.def("find_record", &find_record, py::arg("name"));
  m.def("read_head", &read_head, py::arg("file"));
  m.def("read_columns", &columns_of, py::arg("file"));
  m.def("read_compared", &compared_of, py::arg("file"));
}

}  // namespace kagami::tools
