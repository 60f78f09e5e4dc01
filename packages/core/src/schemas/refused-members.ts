/** Members that other programs know and this one refuses, by the schema's id and the member's name, with the reason. */
export const REFUSED_MEMBERS: Readonly<Record<string, string>> = {
  "Network.inbound":
    "profiles restrict no incoming connections here: who may connect to a server is said by --host and --allowed-host",
};
