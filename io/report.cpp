#include <atoll/io/report.hpp>

#include <atoll/comm/agree.hpp>
#include <atoll/io/safe_file.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

namespace atl {

using Value = nlohmann::ordered_json;

struct Report::Json {
  Value root = Value::object();

  Value& at(std::string_view key) {
    Value* place = &root;
    for (std::size_t dot; (dot = key.find('.')) != key.npos; key.remove_prefix(dot + 1))
      place = &(*place)[std::string(key.substr(0, dot))];
    return (*place)[std::string(key)];
  }
};

Report::Report() : json_(std::make_unique<Json>()) {}
Report::Report(Report&&) noexcept = default;
Report& Report::operator=(Report&&) noexcept = default;
Report::~Report() = default;

namespace {

Value number(double value) { return std::isfinite(value) ? Value(value) : Value(nullptr); }

} // namespace

Report& Report::set(std::string_view key, bool value) {
  json_->at(key) = value;
  return *this;
}
Report& Report::set(std::string_view key, double value) {
  json_->at(key) = number(value);
  return *this;
}
Report& Report::set(std::string_view key, std::int64_t value) {
  json_->at(key) = value;
  return *this;
}
Report& Report::set(std::string_view key, std::string_view value) {
  json_->at(key) = std::string(value);
  return *this;
}
Report& Report::set(std::string_view key, std::span<const double> values) {
  Value list = Value::array();
  for (double value : values) list.push_back(number(value));
  json_->at(key) = std::move(list);
  return *this;
}
Report& Report::set(std::string_view key, std::span<const std::int64_t> values) {
  json_->at(key) = std::vector<std::int64_t>(values.begin(), values.end());
  return *this;
}
Report& Report::set(std::string_view key, std::span<const std::string> values) {
  json_->at(key) = std::vector<std::string>(values.begin(), values.end());
  return *this;
}
Report& Report::set(std::string_view key, std::nullptr_t) {
  json_->at(key) = nullptr;
  return *this;
}

Report& Report::append(std::string_view key, const Report& item) {
  Value& list = json_->at(key);
  if (!list.is_array()) list = Value::array();
  list.push_back(item.json_->root);
  return *this;
}

std::string Report::text() const { return json_->root.dump(2, ' ', false, Value::error_handler_t::replace) + "\n"; }

void Report::write(Communicator& comm, const std::string& path) const {
  agree(comm, [&] {
    if (comm.rank() == 0) write_file_safely(path, text());
  });
}

} // namespace atl
