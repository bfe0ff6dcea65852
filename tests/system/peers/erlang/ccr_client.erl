%% SPDX-License-Identifier: Apache-2.0
%% A client of Erlang's diameter application that charges sessions: initial, updates, termination,
%% one request of a session at a time, many sessions at once. Every answer is checked. Prints one
%% JSON object and ends with 0 when nothing was wrong.
%%
%% erl -noshell -pa DIR -run ccr_client main -extra TARGET_IP PORT LOCAL_IP SESSIONS CONCURRENT UPDATES
-module(ccr_client).

-export([main/0]).
-export([peer_up/3, peer_down/3, pick_peer/4, prepare_request/3, prepare_retransmit/3,
         handle_answer/4, handle_error/4, handle_request/3]).

-include_lib("diameter/include/diameter.hrl").

-define(SERVICE, ?MODULE).
-define(HOST, "erlang.access.example.net").
-define(REALM, "access.example.net").
-define(ANSWER_MS, 15000).
-define(PEER_MS, 20000).

main() ->
    [Target, Port, Local | Numbers] = init:get_plain_arguments(),
    [Sessions, Concurrent, Updates] = [list_to_integer(N) || N <- Numbers],
    ok = diameter:start(),
    ok = diameter:start_service(?SERVICE, service()),
    true = diameter:subscribe(?SERVICE),
    {ok, _} = diameter:add_transport(?SERVICE, transport(Target, list_to_integer(Port), Local)),
    receive
        #diameter_event{info = Info} when element(1, Info) =:= up -> ok
    after ?PEER_MS -> finish(#{connected => false}, 1)
    end,
    Totals = collect(start_workers(Sessions, Concurrent, Updates), empty()),
    Clean = maps:get(good, Totals) =:= maps:get(answers, Totals)
        andalso maps:get(lost, Totals) =:= 0 andalso maps:get(moved, Totals) =:= 0,
    diameter:stop_service(?SERVICE),
    finish(Totals#{connected => true}, case Clean of true -> 0; false -> 1 end).

service() ->
    [{'Origin-Host', ?HOST}, {'Origin-Realm', ?REALM}, {'Vendor-Id', 0},
     {'Product-Name', "ccr_client"}, {'Auth-Application-Id', [4]},
     {decode_format, map}, {string_decode, false},
     {application, [{alias, gy}, {dictionary, gy}, {module, ?MODULE},
                    {answer_errors, callback}]}].

transport(Target, Port, Local) ->
    {ok, Remote} = inet:parse_address(Target),
    {ok, Own} = inet:parse_address(Local),
    {connect, [{transport_module, diameter_tcp}, {strict_mbit, false},
               {transport_config, [{raddr, Remote}, {rport, Port}, {ip, Own}]}]}.

%% Worker K charges the sessions K, K + Concurrent, K + 2 * Concurrent, ...
start_workers(Sessions, Concurrent, Updates) ->
    Parent = self(),
    [spawn_link(fun() ->
         Own = lists:seq(K, Sessions, Concurrent),
         Parent ! {done, self(), lists:foldl(fun(N, T) -> charge(N, Updates, T) end, empty(), Own)}
     end) || K <- lists:seq(1, Concurrent)].

collect(Workers, Totals) ->
    lists:foldl(fun(Worker, Sum) ->
                    receive {done, Worker, Part} ->
                        maps:map(fun(Key, Value) -> Value + maps:get(Key, Part) end, Sum)
                    end
                end, Totals, Workers).

empty() -> #{sessions => 0, answers => 0, good => 0, wrong => 0, lost => 0, moved => 0}.

charge(Number, Updates, Totals) ->
    Id = diameter:session_id(?HOST) ++ ";" ++ integer_to_list(Number),
    Types = [1] ++ lists:duplicate(Updates, 2) ++ [3],
    Steps = lists:zip(lists:seq(0, Updates + 1), Types),
    {Blades, Sum} = lists:foldl(fun(Step, Sofar) -> request(Id, Step, Sofar) end, {[], Totals}, Steps),
    Moved = length(lists:usort(Blades)) > 1,
    add(sessions, add_if(Moved, moved, Sum)).

request(Id, {Number, Type}, {Blades, Totals}) ->
    Request = ['CCR', {'Session-Id', Id}, {'Origin-Host', ?HOST}, {'Origin-Realm', ?REALM},
               {'Destination-Realm', "example.net"}, {'Auth-Application-Id', 4},
               {'Service-Context-Id', "32251@3gpp.org"}, {'CC-Request-Type', Type},
               {'CC-Request-Number', Number}],
    case diameter:call(?SERVICE, gy, Request, [{timeout, ?ANSWER_MS}]) of
        {ok, Answer} ->
            Right = maps:get('Session-Id', Answer) =:= list_to_binary(Id)
                andalso maps:get('CC-Request-Type', Answer) =:= Type
                andalso maps:get('CC-Request-Number', Answer) =:= Number,
            Good = Right andalso maps:get('Result-Code', Answer) =:= 2001,
            {[maps:get('Origin-Host', Answer) | Blades],
             add(answers, add_if(Good, good, add_if(not Right, wrong, Totals)))};
        _ ->
            {Blades, add(lost, Totals)}
    end.

add(Key, Totals) -> maps:update_with(Key, fun(N) -> N + 1 end, Totals).

add_if(true, Key, Totals) -> add(Key, Totals);
add_if(false, _, Totals) -> Totals.

finish(Totals, Code) ->
    Members = [io_lib:format("\"~s\":~p", [Key, Value]) || {Key, Value} <- maps:to_list(Totals)],
    io:format("{~s}~n", [lists:join(",", Members)]),
    init:stop(Code),
    receive after infinity -> ok end.

%% Callbacks of the diameter application.
peer_up(_Service, _Peer, State) -> State.

peer_down(_Service, _Peer, State) -> State.

pick_peer([Peer | _], _Remote, _Service, _State) -> {ok, Peer};
pick_peer([], _Remote, _Service, _State) -> false.

prepare_request(#diameter_packet{msg = Message}, _Service, _Peer) -> {send, Message}.

prepare_retransmit(Packet, Service, Peer) -> prepare_request(Packet, Service, Peer).

handle_answer(#diameter_packet{msg = ['CCA' | Answer], errors = []}, _Request, _Service, _Peer) ->
    {ok, Answer};
handle_answer(#diameter_packet{msg = Message, errors = Errors}, _Request, _Service, _Peer) ->
    io:format(standard_error, "bad answer: ~p ~p~n", [Errors, Message]),
    {error, Errors}.

handle_error(Reason, _Request, _Service, _Peer) -> {error, Reason}.

handle_request(_Packet, _Service, _Peer) -> {protocol_error, 3001}.
